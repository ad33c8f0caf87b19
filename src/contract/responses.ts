import type { TSchema } from 'typebox'
import { ref } from './fields.ts'
import { ProblemBody } from './problem.ts'
import { PROBLEMS, type ProblemCode } from './problem-codes.ts'
import { HTTPValidationError } from './validation-error.ts'

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
      'The limit of the agent: `q` requests in `w` seconds, and `console-burst` at once (RFC 9651 list, IETF draft of the RateLimit ' +
      'fields). Absent if the agent has no limit.',
    example: '"agent";q=600;w=60;console-burst=100',
  },
  ratelimit: {
    description:
      'What is left at the priority of the request: `r` permits, and `t` seconds until there are more. Without `t`, the replica ' +
      'counts its own share of the limit, because there is no Redis or it does not respond.',
    example: '"agent";r=42;t=1',
  },
  'console-ignored-fields': {
    description:
      'Names of the fields in the body that the operation ignored, percent-encoded and separated by commas. Absent when ' +
      'it ignored none. It ends with `...` when the names exceed 4,000 characters.',
    example: 'created_at, trust_stage',
  },
  'console-credential-warnings': {
    description:
      'Where values that this request changed look like credentials: JSON pointers, percent-encoded and separated by commas. ' +
      'The console stores these values in clear text: use a named secret instead. Absent when there are none. It ends with ' +
      '`...` when the pointers exceed 4,000 characters.',
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
          'The authentication scheme that the operation needs, and the URL of a document that names the issuer of tokens ' +
          '(RFC 9728).',
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
export const MEMBER_ERRORS: ProblemCode[] = [
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
