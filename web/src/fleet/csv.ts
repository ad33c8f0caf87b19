/** A spreadsheet takes cells that begin like this for formulas. The export of the API has the same list. */
const FORMULA = /^[=+\-@\t\r\n'＝＋－＠]/

/** Comma-separated values as in RFC 4180. */
export function toCsv(lines: readonly (readonly (string | number | null | undefined)[])[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
