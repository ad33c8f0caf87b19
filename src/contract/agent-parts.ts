import { type Static, Type } from 'typebox'
import { FreeFormObject, integer, nullable, oneOf, optionalNullable, UnixSeconds, Uuid } from './fields.ts'

/** The nested objects of an agent. They are open: known fields have types, unknown ones are kept as they
 * came, so that a newer client loses nothing to an older console. */

/** How much of each kind of text is kept: an address, a name, a description, a program. */
const address = (options: object = {}) => Type.String({ maxLength: 2_048, ...options })
const name = () => Type.String({ maxLength: 255 })
const prose = () => Type.String({ maxLength: 16_384 })
const names = () => Type.Array(name())
const addresses = () => Type.Array(address())

export const AgentParams = Type.Object(
  optionalNullable({
    temperature: Type.Number(),
    top_p: Type.Number(),
    max_tokens: integer(),
    timeout: integer(),
    rag_params: FreeFormObject,
    function_route_params: FreeFormObject,
  }),
  { $id: 'AgentParams', description: 'Model parameters', additionalProperties: true },
)
export type AgentParams = Static<typeof AgentParams>

export const MCPConfig = Type.Object(
  optionalNullable({
    proxy_url: address(),
    access_level: oneOf(['read', 'write', 'admin']),
    server_urls: addresses(),
  }),
  {
    $id: 'MCPConfig',
    description: 'Proxy configuration for the Model Context Protocol',
    additionalProperties: true,
  },
)
export type MCPConfig = Static<typeof MCPConfig>

export const DelegatedAgent = Type.Object(
  optionalNullable({
    url: address(),
    agent_card_url: address(),
    name: name(),
    capabilities: names(),
  }),
  { $id: 'DelegatedAgent', description: 'An agent this one hands work to', additionalProperties: true },
)
export type DelegatedAgent = Static<typeof DelegatedAgent>

export const WhiteBoxConfig = Type.Object(
  optionalNullable({
    source_code: Type.String({ maxLength: 262_144 }),
    repo_url: address(),
    github_username: name(),
    github_token: Type.String({
      maxLength: 8_192,
      description: 'Secret. Shown in clear only in the answer to the write that supplied it.',
    }),
    repo_branch: name(),
    entry_point: address(),
  }),
  { $id: 'WhiteBoxConfig', description: 'Source-code access configuration', additionalProperties: true },
)
export type WhiteBoxConfig = Static<typeof WhiteBoxConfig>

export const AgentMetadata = Type.Object(
  optionalNullable({
    role: name(),
    job_description: prose(),
    description: prose(),
    version: name(),
    author: name(),
    tags: names(),
  }),
  { $id: 'AgentMetadata', description: 'Display and organisation data', additionalProperties: true },
)
export type AgentMetadata = Static<typeof AgentMetadata>

export const ImportMetadata = Type.Object(
  optionalNullable({
    source: name(),
    source_url: address(),
    imported_at: UnixSeconds,
    original_format: name(),
  }),
  { $id: 'ImportMetadata', description: 'How the agent was imported', additionalProperties: true },
)
export type ImportMetadata = Static<typeof ImportMetadata>

export const AgentCapabilities = Type.Object(
  optionalNullable({
    streaming: Type.Boolean(),
    push_notifications: Type.Boolean(),
    code_execution: Type.Boolean(),
    memory: Type.Boolean(),
    delegation: Type.Boolean(),
    tools: names(),
  }),
  { $id: 'AgentCapabilities', description: 'Capability flags', additionalProperties: true },
)
export type AgentCapabilities = Static<typeof AgentCapabilities>

const DescribedSkill = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    ...optionalNullable({ description: Type.String(), input_modes: names(), output_modes: names() }),
  },
  { additionalProperties: true, title: 'DescribedSkill' },
)

export const AgentSkill = Type.Union([DescribedSkill, FreeFormObject], {
  $id: 'AgentSkill',
  description: 'A skill of an `a2a` agent: described, or any object',
})
export type AgentSkill = Static<typeof AgentSkill>

export const EVALUATION_SCORES = optionalNullable({
  overall_score: Type.Number(),
  reliability_score: Type.Number(),
  security_score: Type.Number(),
  safety_score: Type.Number(),
})

export const AgentLatestEvaluation = Type.Object(
  {
    evaluation_id: Uuid,
    ...EVALUATION_SCORES,
    ...optionalNullable({
      completed_at: UnixSeconds,
      revision: integer({ description: 'The revision of the agent that was evaluated' }),
    }),
    current: Type.Optional(
      nullable(Type.Boolean({ description: 'No behaviour-bearing field has changed since' })),
    ),
  },
  {
    $id: 'AgentLatestEvaluation',
    description: 'Scores of the latest completed evaluation',
    additionalProperties: true,
  },
)
export type AgentLatestEvaluation = Static<typeof AgentLatestEvaluation>
