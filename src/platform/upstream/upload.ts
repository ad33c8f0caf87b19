import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { UpstreamFailure } from './failure.ts'

/** The body of a client's request on its way to an upstream. */
export interface Upload extends Readable {
  /** Everything received so far has been forwarded; the upload waits for the client. */
  isStarved: () => boolean
}

/** A separate stream over the client's request, read at the upstream's pace. undici destroys a body when it is done with
 * it, and destroying the request itself would close the client's connection before the response is sent. */
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
