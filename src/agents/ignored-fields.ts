/** Many clients accept at most 16 KB of response headers in total. */
const MAX_LENGTH = 4_000

/** The names of the members of a body that the schema does not have, for the header `console-ignored-fields`. The
 * names are percent-encoded, because the client chose them. A list that is too long ends with `...`. Undefined if there
 * are no such members. */
export function ignoredFields(body: object, schema: { properties: object }): string | undefined {
  const names = Object.keys(body).filter((name) => !Object.hasOwn(schema.properties, name))
  if (names.length === 0) return undefined
  let header = ''
  for (const name of names) {
    const encoded = encodeURIComponent(name.slice(0, MAX_LENGTH).toWellFormed())
    if (header.length + encoded.length + 2 > MAX_LENGTH) return header === '' ? '...' : `${header}, ...`
    header += header === '' ? encoded : `, ${encoded}`
  }
  return header
}
