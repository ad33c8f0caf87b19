const MAX_NAMES = 50
const MAX_NAME_LENGTH = 100

/** The names a body carried and the schema does not, for the header `console-ignored-fields`. They are the
 * caller's own text, hence percent-encoded and bounded. Undefined when there are none. */
export function ignoredFields(body: object, schema: { properties: object }): string | undefined {
  const names = Object.keys(body).filter((name) => !Object.hasOwn(schema.properties, name))
  if (names.length === 0) return undefined
  return names
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
    .join(', ')
}
