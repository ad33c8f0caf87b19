import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

const MAX_BYTES = 256 * 1024
const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Whether a response can be checked: JSON, not compressed, not too large. */
export function isCheckable(headers: IncomingHttpHeaders): boolean {
  return (
    JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') &&
    (headers['content-encoding'] ?? 'identity') === 'identity' &&
    Number(headers['content-length'] ?? 0) <= MAX_BYTES
  )
}

/** Reports the bytes of a response once it has ended. One that grows too large is not reported. */
export function sample(body: Readable, report: (bytes: Buffer) => void): void {
  let chunks: Buffer[] = []
  let size = 0
  const collect = (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= MAX_BYTES) return
    chunks = []
    body.off('data', collect).off('end', finish)
  }
  const finish = () => report(Buffer.concat(chunks))
  body.on('data', collect).on('end', finish)
}
