/** Clients reject headers of more than 16 KB in total. */
const MAX_LENGTH = 4_000

/** The names of the members of a body that the schema does not have, for the header `console-ignored-fields`. They are
 * percent-encoded, because they can be any text, and end with `...` where they are too many. Undefined when there are
 * none. */
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
