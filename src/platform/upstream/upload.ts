import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { UpstreamFailure } from './failure.ts'

/** The body of a client's request on its way to an upstream. */
export interface Upload extends Readable {
  /** Everything received so far was forwarded; the upload waits for the client. */
  isStarved: () => boolean
}

/** A separate stream over the client's request, read at the upstream's pace. undici destroys a body when it is done with
 * it, and destroying the request itself would close the client's connection before the response is sent. */
export function createUpload(source: IncomingMessage, maxBytes: number): Upload {
  let size = 0
  const upload = new Transform({
    transform: (chunk: Buffer, _encoding, callback) => {
      size += chunk.length
      if (size > maxBytes) callback(new UpstreamFailure('request_too_large'))
      else callback(null, chunk)
    },
    destroy: (error, callback) => {
      // Node reuses a connection only after the whole request has been read.
      source.unpipe(upload).resume()
      callback(error)
    },
  })
  source.pipe(upload)
  return Object.assign(upload, { isStarved: () => !source.complete && upload.readableLength === 0 })
}
