interface Document {
  components: { schemas: Record<string, object> }
}

const PREFIX = '#/components/schemas/'

/** The JSON Schema of the file of an agent: what creates one, with the schemas that it refers to. */
export function agentSchemaOf(document: string): string {
  const { schemas } = (JSON.parse(document) as Document).components
  const used = new Map<string, unknown>()
  const withDefinitions = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withDefinitions)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key !== '$ref' || typeof member !== 'string') return [key, withDefinitions(member)]
        const name = member.slice(PREFIX.length)
        if (!used.has(name)) {
          used.set(name, undefined)
          used.set(name, withDefinitions(schemas[name]))
        }
        return [key, `#/$defs/${name}`]
      }),
    )
  }
  // An example would be a second one beside those of the documentation.
  const { examples: _, ...create } = schemas['AgentCreate'] as Record<string, unknown>
  const schema = withDefinitions(create) as object
  const $defs = Object.fromEntries(used)
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Agent' }
  return `${JSON.stringify({ ...head, ...schema, $defs }, null, 2)}\n`
}
