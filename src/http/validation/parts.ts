import type { Static, TSchema } from 'typebox'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import { addViolation, type BodyReader, readJson } from './body.ts'
import { type Check, SchemaCompiler } from './check-value.ts'
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

export function createPartValidation(reader: BodyReader): PartValidation {
  const check = (read: (errors: ErrorList) => unknown): CheckedPart => {
    const { value, errors } = collect(read)
    return { value, errors: errors.map(({ loc: [, ...loc], ...rest }) => ({ ...rest, loc })) }
  }
  const toRaw = (value: object) => ({ bytes: Buffer.from(JSON.stringify(value)), isJson: true })
  return {
    parse: (text) => check((errors) => reader.parse(Buffer.from(text), errors)),
    validate: (value) => check((errors) => reader.read(toRaw(value), errors)),
  }
}

/** Returns a function that validates a value as a body of this schema and returns it for the handler. */
export function createBodyCheck<Schema extends TSchema>(
  reader: BodyReader,
): (given: unknown) => Static<Schema> {
  return (given) => {
    const bytes = Buffer.from(JSON.stringify(given))
    const { value, errors } = collect((list) => reader.read({ bytes, isJson: true }, list))
    if (errors.length > 0) throw new RequestValidationError(errors)
    return value as Static<Schema>
  }
}

function collect(read: (errors: ErrorList) => unknown): CheckedPart {
  const errors = new ErrorList()
  try {
    return { value: read(errors), errors: errors.errors }
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    return { value: undefined, errors: error.errors }
  }
}

const checks = new WeakMap<TSchema, Check>()
const compiler = new SchemaCompiler((ref) => {
  throw new Error(`The schema of a document must not refer to ${ref}`)
})

/** Reads and checks a JSON document that is not the body of a request, with the same rules and messages. */
export const documents = {
  /** A value with what the database cannot store, such as U+0000, has errors. */
  parse(bytes: Buffer): { value: unknown; faults: ValidationError[] } {
    const { value, errors } = collect((list) => {
      const body = readJson(bytes, () => true)
      for (const violation of body.violations) addViolation(violation, list, [])
      return body.value
    })
    const faults = errors.map((error) => (error.type === 'json_invalid' ? { ...error, loc: [] } : error))
    return { value, faults }
  },

  /** The schema must be one that bodies may have, without references. */
  check(schema: TSchema, value: unknown): ValidationError[] {
    const check = checks.get(schema) ?? compiler.compile(schema, 'document')
    checks.set(schema, check)
    const errors = new ErrorList()
    check(value, [], errors)
    return errors.errors
  },
}
