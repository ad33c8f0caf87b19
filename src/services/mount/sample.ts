import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

const MAX_BYTES = 256 * 1024
const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Whether somebody who compares an answer with its declaration could read it. */
export function isComparable(headers: IncomingHttpHeaders): boolean {
  return (
    JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') &&
    (headers['content-encoding'] ?? 'identity') === 'identity' &&
    Number(headers['content-length'] ?? 0) <= MAX_BYTES
  )
}

/** Hands over the bytes of an answer once it has passed whole. One that grows too large is let go. */
export function sample(body: Readable, report: (bytes: Buffer) => void): void {
  let chunks: Buffer[] = []
  let size = 0
  const collect = (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= MAX_BYTES) return
    chunks = []
    body.off('data', collect).off('end', hand)
  }
  const hand = () => report(Buffer.concat(chunks))
  body.on('data', collect).on('end', hand)
}
