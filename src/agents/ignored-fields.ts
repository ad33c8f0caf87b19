/** Clients give up on headers of 16 KB, and this is one of several. */
const MAX_LENGTH = 4_000

/** The names a body carried and the schema does not, for the header `console-ignored-fields`. They are the
 * caller's own text, hence percent-encoded, and cut off with `...` where they are too many. Undefined when there
 * are none. */
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
