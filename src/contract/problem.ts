import { type Static, Type } from 'typebox'
import { oneOf } from './fields.ts'
import { PROBLEMS, type ProblemCode } from './problem-codes.ts'

export const ProblemBody = Type.Object(
  { detail: Type.String(), code: oneOf(Object.keys(PROBLEMS) as ProblemCode[]) },
  { $id: 'Problem', description: 'An error: a sentence for people, a stable code for programs' },
)
export type ProblemBody = Static<typeof ProblemBody>

interface ProblemOptions {
  /** Replaces the table's sentence where more can be said. */
  detail?: string
  headers?: Record<string, string>
  cause?: unknown
}

/** An answer other than success. Thrown anywhere, turned into a reply in one place. */
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
