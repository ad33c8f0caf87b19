import { type Static, Type } from 'typebox'
import { oneOf } from './fields.ts'
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
