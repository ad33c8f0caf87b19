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

const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}

/** agents-2026-11-16.csv */
export function fileName(what: string, extension: string): string {
  return `${what}-${new Date().toISOString().slice(0, 10)}.${extension}`
}
