import { type Static, Type } from 'typebox'
import { ref } from './fields.ts'

/** One fault of a request, in the words of pydantic 2. It never carries the input: a wrong body may hold
 * a secret. */
export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description: 'Path of the faulty input, starting with `path`, `query`, `header` or `body`',
    }),
    msg: Type.String(),
    type: Type.String(),
  },
  { $id: 'ValidationError' },
)
export type ValidationError = Static<typeof ValidationError>

export const HTTPValidationError = Type.Object(
  { detail: Type.Optional(Type.Array(ref(ValidationError))) },
  { $id: 'HTTPValidationError', description: 'Every fault of the request' },
)
export type HTTPValidationError = Static<typeof HTTPValidationError>

/** A request that the contract refuses. Answered as 422 with all faults. */
export class RequestInvalid extends Error {
  readonly faults: readonly ValidationError[]

  constructor(faults: readonly ValidationError[]) {
    super('The request does not fit the contract')
    this.name = 'RequestInvalid'
    this.faults = faults
  }
}
