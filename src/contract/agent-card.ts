import { type Static, Type } from 'typebox'
import { DryRunQuery } from './dry-run.ts'
import { FreeFormObject, integer, nullable } from './fields.ts'

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
