import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import { readJson, validateBody } from './body.ts'
import type { JsonSchema, Resolve } from './check-value.ts'
import { ErrorList } from './error-list.ts'

/** A value and what is wrong with it; `loc` is relative to the value. */
export interface CheckedPart {
  value: unknown
  errors: readonly ValidationError[]
}

/** Validates values that a handler finds in a body that it reads itself, such as the rows of an import. */
export interface PartValidation {
  /** Parses JSON and returns the errors that only its text shows. Without a value if it is no JSON. */
  parse: (text: string) => CheckedPart
  /** Validates a value against the schema, as a body is validated. */
  validate: (value: object) => CheckedPart
}

export function createPartValidation(
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
  resolve: Resolve,
): PartValidation {
  const check = (read: (errors: ErrorList) => unknown): CheckedPart => {
    const errors = new ErrorList()
    try {
      const value = read(errors)
      return { value, errors: errors.errors.map(withoutBody) }
    } catch (error) {
      if (!(error instanceof RequestValidationError)) throw error
      return { value: undefined, errors: error.errors.map(withoutBody) }
    }
  }
  const toBytes = (value: object) => Buffer.from(JSON.stringify(value))
  return {
    parse: (text) => check((errors) => readJson(Buffer.from(text), schema, errors)),
    validate: (value) =>
      check((errors) =>
        validateBody(schema, isValid, { bytes: toBytes(value), isJson: true }, resolve, errors),
      ),
  }
}

const withoutBody = ({ loc: [, ...path], msg, type }: ValidationError): ValidationError => ({
  loc: path,
  msg,
  type,
})
