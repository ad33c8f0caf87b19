import { type Static, Type } from 'typebox'
import { ref } from './fields.ts'

/** One validation error, in the words of pydantic 2. It never contains the input, because a body may hold a secret. */
export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description:
        'Path of the invalid input: `path`, `query`, `header` or `body`, then names of fields and indexes of array items.',
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
