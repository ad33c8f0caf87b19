import { createHash } from 'node:crypto'

const CHUNK_BYTES = 256 * 1024

/** So many bytes, no two chunks alike, the same every time. */
export function* pour(bytes: number): Generator<Buffer> {
  const pattern = createHash('shake256', { outputLength: CHUNK_BYTES }).update('bulk').digest()
  for (let sent = 0, index = 0; sent < bytes; index++) {
    const chunk = Buffer.from(pattern.subarray(0, Math.min(CHUNK_BYTES, bytes - sent)))
    if (chunk.length >= 4) chunk.writeUInt32LE(index)
    sent += chunk.length
    yield chunk
  }
}

export function hashOfBulk(bytes: number): string {
  const hash = createHash('sha256')
  for (const chunk of pour(bytes)) hash.update(chunk)
  return hash.digest('hex')
}
