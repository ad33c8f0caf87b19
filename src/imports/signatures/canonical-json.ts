/** Canonical JSON (RFC 8785, JCS). `JSON.stringify` writes numbers and texts as the RFC wants; names sort by UTF-16 code units,
 * as `toSorted` does. Throws for a text that is not valid Unicode, which has no canonical form. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${canonicalText(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new Error('A text with a lone surrogate has no canonical form')
  return JSON.stringify(text)
}
