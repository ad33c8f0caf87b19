/** Why a document cannot be used, in sentences. */
export class DocumentInvalid extends Error {
  override readonly name = 'DocumentInvalid'
  readonly faults: readonly string[]

  constructor(...faults: string[]) {
    super(faults.join(' '))
    this.faults = faults
  }
}

/** How many are reported of one document. */
export const MAX_FAULTS = 20
