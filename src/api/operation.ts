import type { FastifyContextConfig } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { ref } from './fields.ts'
import { HTTPValidationError, ProblemBody } from './problem.ts'
import { PROBLEMS, type ProblemCode } from './problem-codes.ts'

/** The features, in the order of the API reference. The tags of an operation are the `area`, which the contract names,
 * and the feature. */
export const FEATURES = {
  Agents: { area: 'Agent Environment', description: 'Configurations of agents, one by one and in bulk.' },
  Revisions: { area: 'Agent Environment', description: 'History of agents: compare, restore, redact.' },
  Secrets: { area: 'Agent Environment', description: 'Secrets of agents.' },
  'Agent Evaluations': { area: 'Agent Environment', description: 'Scores of agents.' },
  'Request Budgets': { area: 'Agent Environment', description: 'How often an agent may be called.' },
  Delegation: { area: 'Agent Environment', description: 'Which agents delegate to which.' },
  Events: { area: 'Agent Environment', description: 'Changes of agents as they happen.' },
  'Agent Cards': { area: 'Agent Environment', description: 'A2A agent cards.' },
  Imports: { area: 'Agent Environment', description: 'Agents from other systems.' },
  'Configuration Sets': { area: 'Agent Environment', description: 'Agents that are managed in files.' },
  Views: { area: 'Agent Environment', description: 'Saved views of the list of agents.' },
  'Audit Log': { area: 'Agent Environment', description: 'Who did what, and when.' },
  Evolution: { area: 'Agent Environment', description: 'Evolution of agents, by the evolution service.' },
  Services: { area: 'Agent Environment', description: 'The services behind the console.' },
  Users: { area: 'Teams', description: 'The caller, and the names of users.' },
} as const
export type Feature = keyof typeof FEATURES

/** Whether a method only reads. All others may change something. */
export const isRead = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

/** The options of a route: the permission that it needs, its schemas, and in `config` what else it is marked with. */
export function operation<const Schema extends { operationId: string; summary: string }>(
  feature: Feature,
  permission: FastifyContextConfig['permission'],
  { config, ...schema }: Schema & { config?: FastifyContextConfig },
) {
  // Every read of secrets leaves a record.
  const audited = permission === 'agent:secret' ? { isAudited: true } : {}
  // The tag of the area comes first: some generators know only one tag.
  const tags = [FEATURES[feature].area, feature]
  return {
    config: { permission, ...audited, ...config },
    schema: { ...schema, tags, security: [{ bearer: [] }] },
  }
}

/** The errors of an operation that needs a permission and does not use the database: its own and the common ones. */
export function permissionErrors(...own: ProblemCode[]) {
  return { 422: validationResponse, ...problemResponses(...PERMISSION_ERRORS, ...own) }
}

/** The errors of an operation that needs a user and a team, but no permission. */
export function memberErrors(...own: ProblemCode[]) {
  return { 422: validationResponse, ...problemResponses(...MEMBER_ERRORS, ...own) }
}

/** The errors of an operation that reads from the database. */
export function readErrors(...own: ProblemCode[]) {
  return permissionErrors(...own, 'database_unavailable')
}

/** The errors of an operation that writes. A body that is too large is rejected even where the operation takes none. */
export function writeErrors(...own: ProblemCode[]) {
  return permissionErrors('body_too_large', ...own, 'database_unavailable', 'agent_busy', 'outcome_unknown')
}

/** Declarations of responses. The serialiser and the document use the same ones. */

interface Header {
  description: string
  example: string
}

interface ResponseOptions {
  headers?: Record<string, Header>
  examples?: Record<string, { summary: string; value: unknown }>
}

const JSON_TYPE = 'application/json'

const HEADERS = {
  etag: {
    description: 'The revision of the agent, in quotes. Send it in If-Match or If-None-Match.',
    example: '"7"',
  },
  allow: { description: 'The methods that the path has.', example: 'GET, HEAD' },
  location: {
    description: 'The path of the new agent.',
    example: '/v1/agent-configurations/01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
  },
  'cache-control': { description: 'Do not store the response.', example: 'no-store' },
  'retry-after': { description: 'Seconds to wait before the next attempt.', example: '2' },
  'ratelimit-policy': {
    description:
      'The limit of the agent: `q` requests in `w` seconds, and `console-burst` at once (IETF draft of the RateLimit ' +
      'fields). Absent if the agent has no limit.',
    example: '"agent";q=600;w=60;console-burst=100',
  },
  ratelimit: {
    description:
      'What is left at the priority of the request: `r` permits, and `t` seconds until there are more. Without `t`, ' +
      'the replica counts its own share of the limit, because Redis is missing or does not respond.',
    example: '"agent";r=42;t=1',
  },
  'console-ignored-fields': {
    description:
      'Names of the fields in the body that the operation ignored, percent-encoded and separated by commas. Absent ' +
      'when it ignored none. It ends with `...` when the names exceed 4,000 characters.',
    example: 'created_at, trust_stage',
  },
  'console-credential-warnings': {
    description:
      'JSON pointers to changed values that look like credentials, percent-encoded and separated by commas. The ' +
      'console stores these values in clear text: use a named secret instead. Absent when there are none. It ends ' +
      'with `...` when the pointers exceed 4,000 characters.',
    example: '/mcp_config/headers/Authorization',
  },
} as const satisfies Record<string, Header>

export function responseHeaders(...names: (keyof typeof HEADERS)[]): Record<string, Header> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]))
}

export function jsonResponse(
  description: string,
  schema: TSchema,
  { headers = {}, examples }: ResponseOptions = {},
) {
  return {
    description,
    headers: headerSchemas(headers),
    content: { [JSON_TYPE]: { schema, ...(examples ? { examples } : {}) } },
  }
}

/** Adds headers to one of several responses. */
export function addHeaders<Responses extends object>(
  responses: Responses,
  status: number,
  headers: Record<string, Header>,
): Responses {
  const response = (responses as Record<number, { headers: object }>)[status]
  const added = { ...response, headers: { ...response?.headers, ...headerSchemas(headers) } }
  return { ...responses, [status]: added }
}

/** A response without a body. */
export function emptyResponse(description: string, headers: Record<string, Header> = {}) {
  return { type: 'null', description, headers: headerSchemas(headers) }
}

export function headerSchemas(headers: Record<string, Header>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, example }]) => [
      name,
      { type: 'string', description, examples: [example] },
    ]),
  )
}

/** The error responses of an operation: one for each status, with an example for each code. */
export function problemResponses(...codes: ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      jsonResponse(
        ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].detail.replace(/\.?$/, '.')}`).join(' '),
        ref(ProblemBody),
        {
          headers: problemHeaders(status),
          examples: Object.fromEntries(
            ofStatus.map((code) => [code, { summary: code, value: { detail: PROBLEMS[code].detail, code } }]),
          ),
        },
      ),
    ]),
  )
}

const METADATA_URL = 'https://console.example.com/.well-known/oauth-protected-resource'

function problemHeaders(status: number): Record<string, Header> {
  if (status === 401) {
    return {
      'www-authenticate': {
        description:
          'The authentication scheme that the operation needs, and the URL of a document that names the issuer of ' +
          'tokens (RFC 9728).',
        example: `Bearer resource_metadata="${METADATA_URL}"`,
      },
    }
  }
  if (status === 403) {
    return {
      'www-authenticate': {
        description: 'With `permission_missing`: the missing permission as `scope` (RFC 6750).',
        example: `Bearer resource_metadata="${METADATA_URL}", error="insufficient_scope", scope="agent:read"`,
      },
    }
  }
  if (status === 405) return responseHeaders('allow')
  if (status === 429 || status === 503) return responseHeaders('retry-after')
  return {}
}

/** Each operation gets its own examples in the document. */
export const validationResponse = jsonResponse(
  'The request is not valid. `detail` lists every validation error.',
  ref(HTTPValidationError),
)

/** The errors of every operation that needs a user and a team. */
const MEMBER_ERRORS: ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'team_missing',
  'team_ambiguous',
  'team_not_yours',
  'user_missing',
  'method_not_allowed',
  'too_many_requests',
  'internal',
  'issuer_unavailable',
  'overloaded',
]

/** The errors of every operation that needs a permission. */
export const PERMISSION_ERRORS: ProblemCode[] = MEMBER_ERRORS.toSpliced(2, 0, 'permission_missing')

/** The query of operations that can say what they would do. */
export const DryRunQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: change nothing, and return what the request would do, with the `revision` of each agent. If the ' +
        'request that makes the change sends these revisions, it refuses agents that have changed since. ' +
        'Default: false.',
    }),
  ),
})

/** The version of the contract, in the OpenAPI document and in spans. */
export const API_VERSION = '0.1.0'
