import schema from '../agents/agent-schema.json' with { type: 'json' }
import { SECRET_PLACES } from '../agents/secret-places.ts'
import { NEVER_NULL } from './check-document.ts'
import { NAME } from './project.ts'
import { type Schema, withoutNull } from './schema-check.ts'

const SECRET = { $ref: '#/$defs/Secret' }

/** The JSON Schema of a file, for editors. Checks of values are the same as those of `validate`. */
export function editorSchema(): object {
  const { $schema, properties, $defs } = schema as unknown as Record<
    'properties' | '$defs',
    Record<string, Schema>
  > & {
    $schema: string
  }
  const fields = Object.entries(properties).map(([field, value]) => [field, fieldSchema(field, value)])
  return {
    ...{ $schema, title: 'Agent of a configuration set', type: 'object', additionalProperties: false },
    properties: {
      key: {
        type: 'string',
        pattern: NAME.source,
        description: 'Name of the agent in the set. It never changes. Default: the name of the file.',
      },
      spec: {
        ...{ type: 'object', additionalProperties: false, properties: Object.fromEntries(fields) as object },
        description: 'The fields that the set owns, with their values. All other fields are left alone.',
      },
      status_on_prune: {
        enum: ['archived', 'delete'],
        description: 'What --prune does with the agent if the document has no spec. Default: archived.',
      },
    },
    $defs: {
      ...$defs,
      WhiteBoxConfig: withToken($defs['WhiteBoxConfig'] ?? {}),
      Text: only('$file', { type: 'string' }, 'A text file, relative to this one.'),
      Secret: only('$secret', SOURCE, 'Where the secret comes from.'),
    },
  }
}

const only = (name: string, value: object, description: string) => ({
  ...{
    type: 'object',
    additionalProperties: false,
    required: [name],
    properties: { [name]: value },
    description,
  },
})

const SOURCE = {
  anyOf: [
    only('env', { type: 'string' }, 'An environment variable.'),
    only('file', { type: 'string' }, 'A file.'),
    only('command', { type: 'array', items: { type: 'string' }, minItems: 1 }, 'What a program prints.'),
  ],
}

function fieldSchema(field: string, value: Schema): object {
  if (SECRET_PLACES.some(([place, member]) => place === field && member === undefined)) {
    return { description: value.description, anyOf: [SECRET, { type: 'null' }] }
  }
  const own = NEVER_NULL.includes(field) ? withoutNull(value) : value
  const isText = [own.type].flat().includes('string') && !own.enum
  const { description, ...rest } = own
  return isText ? { description, anyOf: [rest, { $ref: '#/$defs/Text' }] } : own
}

const withToken = (config: Schema): Schema => ({
  ...config,
  properties: { ...config.properties, github_token: { anyOf: [SECRET, { type: 'null' }] } },
})
