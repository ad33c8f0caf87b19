import { type Static, Type } from 'typebox'
import { oneOf, ref } from './fields.ts'
import { PROBLEMS, type ProblemCode } from './problem-codes.ts'

const SENT_CODES: ProblemCode[] = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
  (code) => code !== 'client_disconnected',
)

/** The contract defines `detail`; the console adds `code`. This is not the format of RFC 9457. */
export const ProblemBody = Type.Object(
  {
    detail: Type.String({ description: 'What is wrong and what to do, as a sentence for readers.' }),
    code: oneOf(SENT_CODES, {
      description:
        'Stable code of the error, for programs. The text of `detail` may change; the code does not.',
    }),
  },
  { $id: 'Problem', description: 'Body of every error response except 422.' },
)
export type ProblemBody = Static<typeof ProblemBody>

interface ProblemOptions {
  /** Replaces the sentence of the table where a more specific one exists. */
  detail?: string
  headers?: Record<string, string>
  cause?: unknown
}

/** An error response. Any code may throw it; the error handler of the server sends it. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEMS[code].detail, { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.status = PROBLEMS[code].status
    this.headers = options.headers ?? {}
  }

  toBody(): ProblemBody {
    return { detail: this.message, code: this.code }
  }
}

/** The token of the request lacks a permission. The audit log records it. */
export class PermissionMissing extends Problem {
  readonly permission: string

  constructor(permission: string, { detail = `This operation needs the permission ${permission}.` } = {}) {
    super('permission_missing', { detail })
    this.permission = permission
  }
}

/** One validation error, in the words of pydantic 2. It never contains the input, because a body may hold a secret. */
export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description:
        'Where the invalid input is: `path`, `query`, `header` or `body`, then names of fields and indexes of items.',
    }),
    msg: Type.String({ description: 'What is wrong, as a sentence for readers.' }),
    type: Type.String({
      description:
        'Kind of the error, for programs, such as `missing` or `uuid_parsing`; `upstream` if the evolution service ' +
        'reported it without a location.',
    }),
  },
  { $id: 'ValidationError', description: 'One validation error of a request.' },
)
export type ValidationError = Static<typeof ValidationError>

export const HTTPValidationError = Type.Object(
  {
    detail: Type.Optional(
      Type.Array(ref(ValidationError), {
        description: 'Every validation error of the request, at most 1,000.',
      }),
    ),
  },
  { $id: 'HTTPValidationError', description: 'The request is not valid. Nothing was changed.' },
)
export type HTTPValidationError = Static<typeof HTTPValidationError>

/** A request that does not match the schemas of its operation. The response is a 422 with all validation errors. */
export class RequestValidationError extends Error {
  readonly errors: readonly ValidationError[]

  constructor(errors: readonly ValidationError[]) {
    super('The request does not match the schemas of its operation')
    this.name = 'RequestValidationError'
    this.errors = errors
  }
}

export const valueError = (loc: ValidationError['loc'], reason: string): ValidationError => ({
  loc,
  msg: `Value error, ${reason}`,
  type: 'value_error',
})

export const missing = (...loc: ValidationError['loc']): ValidationError => ({
  loc,
  msg: 'Field required',
  type: 'missing',
})
