import { createHash } from 'node:crypto'

/** A document as it is served from memory. */
export interface ServedDocument {
  readonly bytes: Uint8Array
  /** Strong: another byte, another tag. */
  readonly etag: string
}

export function toServed(text: string): ServedDocument {
  const bytes = new TextEncoder().encode(text)
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
