import { type Static, Type } from 'typebox'
import { described, integer, nullable, ref, Uuid } from '../../api/fields.ts'

const secret = (description: string) => nullable(Type.String({ description }))

export const AgentSecrets = Type.Object(
  {
    api_key: secret('The API key of the agent in clear text. null: the agent has none.'),
    white_box_config: Type.Object(
      { github_token: secret('The GitHub token of the agent in clear text. null: the agent has none.') },
      { description: 'The secret of the source-code access configuration.' },
    ),
    secrets: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The named secrets of the agent in clear text, by name. Empty when there are none.',
    }),
  },
  {
    $id: 'AgentSecrets',
    description:
      'The secrets of an agent in clear text: the two that are fields of Agent, and the named ones.',
  },
)
export type AgentSecrets = Static<typeof AgentSecrets>

export const MAX_NAMED_SECRETS = 20

/** The name of a named secret among the fields of a revision, an event and the audit log. */
export const namedField = (name: string) => `secrets.${name}`

const SECRET_NAME = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  description: 'Name of the secret: a letter, then up to 63 letters, digits, `_` or `-`.',
})

export const NamedSecretId = Type.Object({
  id: described(Uuid, 'Id of the agent, a UUID.'),
  name: SECRET_NAME,
})

export const NamedSecretValue = Type.Object(
  {
    value: Type.String({
      minLength: 1,
      maxLength: 8_192,
      description:
        'The secret in clear text, 1 to 8,192 characters. The current mask keeps the secret; another value that ' +
        'has the form of a mask is refused.',
    }),
  },
  {
    $id: 'NamedSecretValue',
    description: 'The new value of a named secret.',
    examples: [{ value: 'ghp-example-4f9a8c7d6e5b4a39' }],
  },
)
export type NamedSecretValue = Static<typeof NamedSecretValue>

export const NamedSecret = Type.Object(
  {
    name: SECRET_NAME,
    mask: Type.String({
      description: 'Eight asterisks, then the last four characters if the secret has 20 or more.',
    }),
    revision: integer({
      minimum: 1,
      description:
        'The revision of the agent that set the secret. Two different secrets can have the same mask.',
    }),
  },
  {
    $id: 'NamedSecret',
    description: 'A named secret of an agent, masked.',
    examples: [{ name: 'crm-token', mask: '********4a39', revision: 3 }],
  },
)
export type NamedSecret = Static<typeof NamedSecret>

export const NamedSecretList = Type.Object(
  {
    results: Type.Array(ref(NamedSecret), { description: 'The named secrets, ordered by name. At most 20.' }),
  },
  { $id: 'NamedSecretList', description: 'The named secrets of an agent, masked.' },
)
export type NamedSecretList = Static<typeof NamedSecretList>

export const SECRET_SCHEMAS = [AgentSecrets, NamedSecretValue, NamedSecret, NamedSecretList]
