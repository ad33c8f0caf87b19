import type { TSchema } from 'typebox'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import { addViolation } from './body.ts'
import { checkValue } from './check-value.ts'
import { ErrorList } from './error-list.ts'
import { parseJsonBody } from './parse-json.ts'

/** Reads and checks a JSON document that is not the body of a request, with the same rules and messages. */
export const documents = {
  /** A value with what the database cannot store, such as U+0000, has errors. */
  parse(bytes: Buffer): { value: unknown; faults: ValidationError[] } {
    try {
      const { value, violations } = parseJsonBody(bytes, () => true)
      const errors = new ErrorList()
      for (const violation of violations) addViolation(violation, errors, [])
      return { value, faults: errors.errors }
    } catch (error) {
      if (!(error instanceof RequestValidationError)) throw error
      return { value: undefined, faults: error.errors.map((each) => ({ ...each, loc: [] })) }
    }
  },

  /** The schema must be one that bodies may have, without references. */
  check(schema: TSchema, value: unknown): ValidationError[] {
    const errors = new ErrorList()
    checkValue(schema, value, [], noReference, errors)
    return errors.errors
  },
}

function noReference(ref: string): never {
  throw new Error(`The schema of a document must not refer to ${ref}`)
}
