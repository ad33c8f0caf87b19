/** Why a document cannot be used, in sentences. */
export class DocumentInvalid extends Error {
  override readonly name = 'DocumentInvalid'
  readonly errors: readonly string[]

  constructor(...errors: string[]) {
    super(errors.join(' '))
    this.errors = errors
  }
}

/** Maximum number of errors reported for a document. */
export const MAX_ERRORS = 20
