/** Models read every byte of a result, so longer values are left to the resource of the agent. */
const MAX_VALUE_BYTES = 20_000

/** A value that is not whole. */
export interface ShortenedValue {
  field: string
  bytes: number
  /** The URI of the resource that has the whole value. */
  resource: string
}

/** The value, or the beginning of a long text, or null for another long value. `shortened` gets an entry for a long one. */
export function shorten(
  value: unknown,
  place: Pick<ShortenedValue, 'field' | 'resource'>,
  shortened: ShortenedValue[],
): unknown {
  const isText = typeof value === 'string'
  const bytes = Buffer.byteLength(isText ? value : (JSON.stringify(value) ?? ''))
  if (bytes <= MAX_VALUE_BYTES) return value
  shortened.push({ ...place, bytes })
  if (!isText) return null
  // A stream keeps the first bytes of a character for the next chunk: the cut does not split one.
  return new TextDecoder().decode(Buffer.from(value).subarray(0, MAX_VALUE_BYTES), { stream: true })
}

export const agentUri = (id: string) => `agent://${id}`
export const revisionUri = (id: string, revision: number) => `agent://${id}/revisions/${revision}`
