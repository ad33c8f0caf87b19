import type { TSchema } from 'typebox'
import type { ValidationError } from '../../contract/validation-error.ts'

/** Reads and checks JSON documents in the way in which request bodies are checked. `loc` in a fault is relative to the
 * document. `src/app.ts` passes it, because features do not import `src/http`. */
export interface Documents {
  /** With faults, the value must not be used. */
  parse: (bytes: Buffer) => { value: unknown; faults: ValidationError[] }
  check: (schema: TSchema, value: unknown) => ValidationError[]
}
