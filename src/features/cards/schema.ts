import { type Static, type TSchema, Type } from 'typebox'
import { AGENT_NAME_LENGTH } from '../../agent/fields.ts'
import { FreeFormObject, integer, nullable, oneOf } from '../../api/fields.ts'
import { DryRunQuery } from '../../api/operation.ts'

/** The agent cards that the console reads. A2A 1.0 is ProtoJSON: an unset member is absent or null, and unknown
 * members are ignored. Lengths are those of the fields of an agent that the members become. */

const text = (maxLength: number, minLength = 0) => Type.String({ minLength, maxLength })
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))
const list = <Schema extends TSchema>(schema: Schema, maxItems: number, minItems = 0) =>
  Type.Array(schema, { minItems, maxItems })

const URL_TEXT = text(2_048, 1)
const MODES = list(text(255), 100)

const MAX_INTERFACES = 50
export const MAX_SECURITY_SCHEMES = 50

const CardSkill = {
  id: text(255, 1),
  name: text(255, 1),
  description: text(16_384),
  tags: list(text(255), 100),
  examples: maybe(list(text(16_384), 100)),
  inputModes: maybe(MODES),
  outputModes: maybe(MODES),
}

const Extension = Type.Object({
  uri: text(2_048),
  description: maybe(text(16_384)),
  required: maybe(Type.Boolean()),
})

const Capabilities = {
  streaming: maybe(Type.Boolean()),
  pushNotifications: maybe(Type.Boolean()),
  extensions: maybe(list(Extension, 50)),
}

const COMMON = {
  name: text(AGENT_NAME_LENGTH, 1),
  description: text(16_384),
  version: text(255),
  provider: maybe(Type.Object({ organization: text(255), url: maybe(text(2_048)) })),
  documentationUrl: maybe(text(2_048)),
  iconUrl: maybe(text(2_048)),
  defaultInputModes: MODES,
  defaultOutputModes: MODES,
  securitySchemes: maybe(FreeFormObject),
}

export const AgentCard10 = Type.Object({
  ...COMMON,
  supportedInterfaces: list(
    Type.Object({
      url: URL_TEXT,
      protocolBinding: text(255, 1),
      protocolVersion: text(64),
      tenant: maybe(text(255)),
    }),
    MAX_INTERFACES,
    1,
  ),
  capabilities: Type.Object({ ...Capabilities, extendedAgentCard: maybe(Type.Boolean()) }),
  securityRequirements: maybe(list(FreeFormObject, 50)),
  skills: list(Type.Object({ ...CardSkill, securityRequirements: maybe(list(FreeFormObject, 50)) }), 500),
})
export type AgentCard10 = Static<typeof AgentCard10>

/** Also cards of 0.2, which differ in members that the console does not read. */
export const AgentCard03 = Type.Object({
  ...COMMON,
  url: URL_TEXT,
  protocolVersion: maybe(text(64)),
  preferredTransport: maybe(text(255, 1)),
  additionalInterfaces: maybe(
    list(Type.Object({ url: URL_TEXT, transport: text(255, 1) }), MAX_INTERFACES - 1),
  ),
  capabilities: Type.Object(Capabilities),
  supportsAuthenticatedExtendedCard: maybe(Type.Boolean()),
  security: maybe(list(FreeFormObject, 50)),
  skills: list(Type.Object({ ...CardSkill, security: maybe(list(FreeFormObject, 50)) }), 500),
})
export type AgentCard03 = Static<typeof AgentCard03>

/** The agent cards that the console writes. A2A names its members in camel case. */

const texts = (description: string) => Type.Array(Type.String(), { description })

const Interface = Type.Object({
  url: Type.String({ description: 'URL of the interface.' }),
  protocolBinding: Type.String({ description: '`JSONRPC`, `HTTP+JSON`, `GRPC` or a URI.' }),
  protocolVersion: Type.String({ description: 'Version of A2A, such as `1.0`.' }),
  tenant: Type.Optional(Type.String({ description: 'To send in every request. Absent: none.' })),
})

const Skill = Type.Object({
  id: Type.String({ description: 'Id of the skill.' }),
  name: Type.String({ description: 'Name of the skill.' }),
  description: Type.String({ description: 'What the skill does.' }),
  tags: texts('Keywords of the skill.'),
  examples: Type.Optional(texts('Example prompts.')),
  inputModes: Type.Optional(texts('Media types that the skill accepts. Absent: `defaultInputModes`.')),
  outputModes: Type.Optional(texts('Media types that the skill returns. Absent: `defaultOutputModes`.')),
})

export const A2AAgentCard = Type.Object(
  {
    name: Type.String({ description: '`agent_name`.' }),
    description: Type.String({ description: '`purpose`, or else the description in `agent_metadata`.' }),
    version: Type.String({
      description: 'The version in `agent_metadata`, or else the revision of the configuration.',
    }),
    supportedInterfaces: Type.Array(Interface, {
      description:
        '`agent_url` first, then the other interfaces of the card that the agent was imported from.',
    }),
    provider: Type.Optional(
      Type.Object(
        {
          organization: Type.String({ description: 'The author in `agent_metadata`.' }),
          url: Type.String({ description: 'URL of the author.' }),
        },
        { description: 'Who offers the agent. Absent if the author or the URL of the author is not known.' },
      ),
    ),
    documentationUrl: Type.Optional(Type.String({ description: 'URL of the documentation.' })),
    iconUrl: Type.Optional(Type.String({ description: 'URL of the icon.' })),
    capabilities: Type.Object(
      {
        streaming: Type.Optional(Type.Boolean({ description: 'The agent can stream its responses.' })),
        pushNotifications: Type.Optional(
          Type.Boolean({ description: 'The agent can send push notifications.' }),
        ),
        extendedAgentCard: Type.Optional(
          Type.Boolean({ description: 'The agent has another card for authenticated clients.' }),
        ),
        extensions: Type.Optional(
          Type.Array(FreeFormObject, { description: 'Extensions of A2A that the agent supports.' }),
        ),
      },
      { description: 'What the agent supports.' },
    ),
    defaultInputModes: texts('Media types that the agent accepts.'),
    defaultOutputModes: texts('Media types that the agent returns.'),
    skills: Type.Array(Skill, { description: 'The skills that have an id and a name.' }),
    securitySchemes: Type.Optional({
      ...FreeFormObject,
      description: 'How clients authenticate, by name.',
    }),
    securityRequirements: Type.Optional(
      Type.Array(FreeFormObject, { description: 'Which of the schemes a client needs.' }),
    ),
  },
  {
    $id: 'A2AAgentCard',
    description: 'An agent card of A2A 1.0, made from a configuration. It has no secrets.',
  },
)
export type A2AAgentCard = Static<typeof A2AAgentCard>

export const CardRefreshQuery = Type.Object({
  ...DryRunQuery.properties,
  move_interface: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: if the card no longer has the interface that `agent_url` was taken from, move `agent_url` to the ' +
        'interface that it prefers now. While an `api_key` is stored, a move to another origin also needs the ' +
        'permission `agent:secret`. Default: false.',
    }),
  ),
})
export type CardRefreshQuery = Static<typeof CardRefreshQuery>

const value = (description: string) => Type.Unsafe<unknown>({ description })

export const CardRefresh = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'true: nothing was changed.' }),
    revision: integer({
      minimum: 1,
      description:
        'The revision of the agent after the request. With `dry_run`, its revision now: send it in `If-Match`.',
    }),
    changes: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'Name of the field, with that of its member, such as `agent_metadata.version`.',
        }),
        old: value('Value in the agent. null: none.'),
        new: value('Value in the card. null: none.'),
      }),
      {
        description:
          'What the refresh changes, or would change. Empty: the agent has the values of the card.',
      },
    ),
    moves_to: nullable(
      Type.String({
        description:
          'URL of the interface that the card prefers now, if it no longer has the interface that `agent_url` ' +
          'was taken from. `agent_url` changes to it only with `move_interface`. null: the card still has the ' +
          'interface.',
      }),
    ),
    warnings: Type.Array(Type.String(), { description: 'What a reader should know, as sentences.' }),
  },
  { $id: 'CardRefresh', description: 'What a refresh of an agent from its card did, or would do.' },
)
export type CardRefresh = Static<typeof CardRefresh>

export const AGENT_CARD_SCHEMAS = [A2AAgentCard, CardRefresh]

export const CARD_SOURCE = 'a2a_card'

const StoredInterface = Type.Object({
  url: Type.String(),
  protocol_binding: Type.String(),
  protocol_version: Type.String(),
  tenant: Type.Optional(Type.String()),
})
export type StoredInterface = Static<typeof StoredInterface>

/** `import_metadata` of an agent that was made from an agent card. A client may have written something else there,
 * so that it is checked before it is used. */
export const CardMetadata = Type.Object({
  source: oneOf([CARD_SOURCE]),
  source_url: Type.Optional(Type.String()),
  /** Set by the import or the refresh that stores it. */
  imported_at: Type.Optional(integer()),
  original_format: Type.String(),
  etag: Type.Optional(Type.String()),
  /** SHA-256 of the bytes that were fetched. */
  digest: Type.Optional(Type.String()),
  /** The name that the import chose in place of that of the card. */
  override_name: Type.Optional(Type.String()),
  /** The interface that `agent_url` was taken from. A refresh does not move to another one unless the caller says
   * so. */
  pinned_interface: nullable(StoredInterface),
  interfaces: Type.Array(StoredInterface),
  default_input_modes: Type.Array(Type.String()),
  default_output_modes: Type.Array(Type.String()),
  extended_agent_card: Type.Optional(Type.Boolean()),
  extensions: Type.Optional(Type.Array(FreeFormObject)),
  security_schemes: Type.Optional(FreeFormObject),
  security_requirements: Type.Optional(Type.Array(FreeFormObject)),
})
export type CardMetadata = Static<typeof CardMetadata>
