/** A failure that one sentence explains. It is shown without a stack. */
export class DevError extends Error {
  override readonly name = 'DevError'
}
