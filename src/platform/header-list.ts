/** Many clients accept at most 16 KB of response headers in total. */
const MAX_LENGTH = 4_000

/** The value of a response header that lists percent-encoded texts. A list that is too long ends with `...`. Undefined if
 * there are no texts. */
export function headerList(encoded: Iterable<string>): string | undefined {
  let header: string | undefined
  for (const text of encoded) {
    const longer = header === undefined ? text : `${header}, ${text}`
    if (longer.length + 2 > MAX_LENGTH) return header === undefined ? '...' : `${header}, ...`
    header = longer
  }
  return header
}

/** The names of the members of a body that the schema does not have. The client chose them, so they are encoded. */
export function ignoredFields(body: object, schema: { properties: object }): string | undefined {
  const names = Object.keys(body).filter((name) => !Object.hasOwn(schema.properties, name))
  return headerList(
    names.values().map((name) => encodeURIComponent(name.slice(0, MAX_LENGTH).toWellFormed())),
  )
}
