import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { UpstreamFailure } from './failure.ts'

/** What a caller sends, on its way to an upstream. */
export interface Upload extends Readable {
  /** Everything that came was passed on: whoever waits now waits for the caller. */
  isStarved: () => boolean
}

/** A stream of its own over the caller's request, at the pace of whoever reads it. undici destroys a body it is done
 * with, and the request itself would take the caller's connection along, with the answer that is due on it. */
export function createUpload(source: IncomingMessage, maxBytes: number): Upload {
  let size = 0
  const upload = new Readable({
    read: () => void source.resume(),
    destroy: (error, callback) => {
      source.off('data', onData).off('end', onEnd)
      callback(error)
    },
  })
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) upload.destroy(new UpstreamFailure('request_too_large'))
    else if (!upload.push(chunk)) source.pause()
  }
  const onEnd = () => void upload.push(null)
  source.on('data', onData).on('end', onEnd).pause()
  return Object.assign(upload, {
    isStarved: () => upload.readableFlowing === true && !upload.readableEnded && upload.readableLength === 0,
  })
}
