import { type Static, type TSchema, Type } from 'typebox'
import {
  described,
  FreeFormObject,
  integer,
  oneOf,
  optionalNullable,
  UnixSeconds,
  Uuid,
} from '../api/fields.ts'

/** The nested objects of an agent. They are open: known fields have types, and unknown fields are stored unchanged,
 * so that an older console does not drop the fields of a newer client. */

/** For each of the `urls` in `src/agent/fields.ts`. */
export const NO_USER_INFO = 'A user name or password in it is refused: use a named secret.'

export const SET_BY_ORIGIN = 'Set on creation; later only an import or a configuration set changes it.'

const longText = (description: string) =>
  Type.String({ maxLength: 2_048, description: `${description} At most 2,048 characters.` })
const name = (description: string) =>
  Type.String({ maxLength: 255, description: `${description} At most 255 characters.` })
const prose = (description: string) =>
  Type.String({ maxLength: 16_384, description: `${description} At most 16,384 characters.` })
const names = (description: string) => Type.Array(Type.String({ maxLength: 255 }), { description })

const openObject = <Fields extends Record<string, TSchema>>(
  $id: string,
  description: string,
  fields: Fields,
) => Type.Object(optionalNullable(fields), { $id, description, additionalProperties: true })

export const AgentParams = openObject(
  'AgentParams',
  'Model parameters. The console stores them and does not apply them.',
  {
    temperature: Type.Number({ description: 'Sampling temperature of the model.' }),
    top_p: Type.Number({
      description: 'Nucleus sampling (top-p): cumulative probability of the tokens to sample from.',
    }),
    max_tokens: integer({ description: 'Maximum length of a response of the model, in tokens.' }),
    timeout: integer({
      description: 'Time limit for a call to the agent, in a unit that the clients agree on.',
    }),
    rag_params: described(FreeFormObject, 'Parameters of retrieval-augmented generation. Any JSON object.'),
    function_route_params: described(FreeFormObject, 'Parameters of function routing. Any JSON object.'),
  },
)
export type AgentParams = Static<typeof AgentParams>

export const MCPConfig = openObject(
  'MCPConfig',
  'Proxy configuration for the Model Context Protocol (MCP). A credential, such as that of a header, is a reference ' +
    'to a named secret: `{"$secret": "name"}`.',
  {
    proxy_url: longText(`URL of the MCP proxy. ${NO_USER_INFO}`),
    access_level: oneOf(['read', 'write', 'admin'], {
      description: 'What the agent may do through the proxy: `read`, `write` or `admin`.',
    }),
    server_urls: Type.Array(Type.String({ maxLength: 2_048 }), {
      description: `URLs of the MCP servers behind the proxy. ${NO_USER_INFO} At most 2,048 characters each.`,
    }),
  },
)
export type MCPConfig = Static<typeof MCPConfig>

export const DelegatedAgent = openObject(
  'DelegatedAgent',
  'Another agent that this agent delegates work to. The first of `agent_id`, `agent_card_url` and `url` that is ' +
    'known in the team identifies it; `name` does not.',
  {
    agent_id: described(
      Uuid,
      'Id of the other agent, if it is an agent of the same team. With it, the URLs do not decide which agent it is.',
    ),
    url: longText(`Endpoint URL of the other agent. ${NO_USER_INFO}`),
    agent_card_url: longText(`URL of the A2A agent card of the other agent. ${NO_USER_INFO}`),
    name: name('Name of the other agent.'),
    capabilities: names('Capabilities of the other agent that this agent uses. At most 255 characters each.'),
  },
)
export type DelegatedAgent = Static<typeof DelegatedAgent>

export const WhiteBoxConfig = openObject(
  'WhiteBoxConfig',
  'Source-code access configuration, for the access level `white_box`.',
  {
    source_code: Type.String({
      maxLength: 262_144,
      description: 'Source code of the agent. At most 262,144 characters.',
    }),
    repo_url: longText(`URL of the source repository. ${NO_USER_INFO}`),
    github_username: name('GitHub user that the token belongs to.'),
    github_token: Type.String({
      maxLength: 8_192,
      description:
        'Secret. GitHub token that reads the repository, at most 8,192 characters. It has the same rules as ' +
        '`api_key`: clear text only in the response to the request that set it, a mask in every other response.',
    }),
    repo_branch: name('Branch of the repository.'),
    entry_point: longText('File or command that starts the agent.'),
  },
)
export type WhiteBoxConfig = Static<typeof WhiteBoxConfig>

export const AgentMetadata = openObject('AgentMetadata', 'Display and organisation data.', {
  role: name('Role of the agent in the organisation.'),
  job_description: prose('Tasks of the agent.'),
  description: prose('Text that describes the agent to readers.'),
  version: name("Version of the agent, in the author's own format."),
  author: name('Author of the agent.'),
  tags: names('Labels to group agents by. At most 255 characters each.'),
})
export type AgentMetadata = Static<typeof AgentMetadata>

export const ImportMetadata = openObject(
  'ImportMetadata',
  `How the agent was imported. ${SET_BY_ORIGIN} Default: \`{"source": "manual"}\`.`,
  {
    source: name('Where the agent came from. Default: `manual`.'),
    source_url: longText(`URL that the agent was imported from. ${NO_USER_INFO}`),
    imported_at: described(UnixSeconds, 'Time of the import, Unix time in seconds.'),
    original_format: name('Format of the imported description, such as `a2a-card`.'),
  },
)
export type ImportMetadata = Static<typeof ImportMetadata>

export const AgentCapabilities = openObject(
  'AgentCapabilities',
  `Capability flags. ${SET_BY_ORIGIN} Default: \`{}\`.`,
  {
    streaming: Type.Boolean({ description: 'The agent can stream its responses.' }),
    push_notifications: Type.Boolean({ description: 'The agent can send push notifications.' }),
    code_execution: Type.Boolean({ description: 'The agent can run code.' }),
    memory: Type.Boolean({ description: 'The agent keeps information between conversations.' }),
    delegation: Type.Boolean({ description: 'The agent can delegate work to other agents.' }),
    tools: names('Names of the tools that the agent can call. At most 255 characters each.'),
  },
)
export type AgentCapabilities = Static<typeof AgentCapabilities>

const DescribedSkill = Type.Object(
  {
    id: Type.String({ description: 'Id of the skill, unique within the agent.' }),
    name: Type.String({ description: 'Name of the skill for readers.' }),
    ...optionalNullable({
      description: Type.String({ description: 'What the skill does.' }),
      input_modes: names('Media types that the skill accepts. At most 255 characters each.'),
      output_modes: names('Media types that the skill returns. At most 255 characters each.'),
    }),
  },
  { additionalProperties: true, title: 'DescribedSkill' },
)

export const AgentSkill = Type.Union([DescribedSkill, FreeFormObject], {
  $id: 'AgentSkill',
  description: 'A skill of an `a2a` agent: an object with `id` and `name`, or any other JSON object.',
})
export type AgentSkill = Static<typeof AgentSkill>
