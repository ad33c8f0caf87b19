import { type TSchema, Type } from 'typebox'
import { ref } from './fields.ts'
import { ProblemBody } from './problem.ts'
import { PROBLEMS, type ProblemCode } from './problem-codes.ts'
import { HTTPValidationError } from './validation-error.ts'

/** How an operation's answers are declared: once, for the serialiser and for the document. */

interface Header {
  description: string
  example: string
}

interface AnswerOptions {
  headers?: Record<string, Header>
  examples?: Record<string, { summary: string; value: unknown }>
}

const JSON_TYPE = 'application/json'

const HEADERS = {
  etag: { description: 'The revision of the agent', example: '"7"' },
  location: {
    description: 'The path of the new agent',
    example: '/v1/agent-configurations/01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
  },
  'cache-control': { description: 'Nobody may keep the answer', example: 'no-store' },
  'console-ignored-fields': {
    description: 'Fields of the body that the operation does not carry, percent-encoded',
    example: 'created_at, trust_stage',
  },
} as const satisfies Record<string, Header>

export function answerHeaders(...names: (keyof typeof HEADERS)[]): Record<string, Header> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]))
}

/** Request headers that make an operation conditional. */
export const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'Change the agent only if it is at this revision, else 412' }),
  ),
})
export const IfNoneMatch = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'Answer 304 if the agent is still at this revision' }),
  ),
})

/** A request header that makes a creation safe to repeat. */
export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description: "The sender's own name for this request, unique within its team",
    }),
  ),
})

export function answer(description: string, schema: TSchema, { headers = {}, examples }: AnswerOptions = {}) {
  return {
    description,
    headers: declared(headers),
    content: { [JSON_TYPE]: { schema, ...(examples ? { examples } : {}) } },
  }
}

/** An answer without a body. */
export function emptyAnswer(description: string, headers: Record<string, Header> = {}) {
  return { type: 'null', description, headers: declared(headers) }
}

function declared(headers: Record<string, Header>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, example }]) => [
      name,
      { type: 'string', description, examples: [example] },
    ]),
  )
}

/** The errors of an operation, an answer for each status with an example for each code. */
export function problemAnswers(...codes: ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      answer(ofStatus.map((code) => PROBLEMS[code].detail).join(' / '), ref(ProblemBody), {
        headers: problemHeaders(status),
        examples: Object.fromEntries(
          ofStatus.map((code) => [code, { summary: code, value: { detail: PROBLEMS[code].detail, code } }]),
        ),
      }),
    ]),
  )
}

function problemHeaders(status: number): Record<string, Header> {
  if (status === 401) {
    return { 'www-authenticate': { description: 'The scheme to authenticate with', example: 'Bearer' } }
  }
  if (status === 503) {
    return { 'retry-after': { description: 'Seconds after which to try again', example: '2' } }
  }
  return {}
}

export const validationAnswer = answer('The request does not fit the contract', ref(HTTPValidationError), {
  examples: {
    faults: {
      summary: 'Every fault is reported',
      value: {
        detail: [
          {
            loc: ['path', 'id'],
            msg: 'Input should be a valid UUID, invalid length: expected length 32 for simple format, found 3',
            type: 'uuid_parsing',
          },
        ],
      },
    },
  },
})

/** What every operation that needs a permission may answer. */
export const GUARDED: ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'permission_missing',
  'team_missing',
  'internal',
  'issuer_unavailable',
]
