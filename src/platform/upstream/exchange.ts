import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { connectionFailure, UpstreamFailure } from './failure.ts'
import type { Line } from './line.ts'

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** An exact path, built by us. */
  path: string
  /** Exactly what is sent, beside what HTTP itself needs. */
  headers: Record<string, string>
  body?: Buffer
}

export interface UpstreamAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The bytes as they came. */
  body: Buffer
}

/** Ends an exchange from outside, whatever state it is in. */
export type Abort = (reason: UpstreamFailure) => void

/** One request and its whole answer. undici's dispatch is used as it is: its streams and signals cost more
 * than all the rest of a call, and an answer has to be complete before anything of it is passed on. */
export function exchange(
  line: Line,
  request: UpstreamRequest,
  maxBytes: number,
  onStart: (abort: Abort) => void,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    let headers: IncomingHttpHeaders = {}
    let aborted: UpstreamFailure | undefined
    let controller: Dispatcher.DispatchController | undefined

    const abort: Abort = (reason) => {
      if (aborted) return
      aborted = reason
      // Waiting for a connection, it has no controller yet: it is then refused as soon as it gets one, so
      // that nothing is sent on behalf of somebody who was told that it failed.
      controller?.abort(reason)
      reject(reason)
    }
    onStart(abort)

    line.dispatch(
      { ...request, body: request.body ?? null, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          controller = started
          if (aborted) started.abort(aborted)
        },
        onResponseStart(_controller, statusCode, responseHeaders) {
          status = statusCode
          headers = responseHeaders
          if (Number(headers['content-length']) > maxBytes) abort(new UpstreamFailure('too_large'))
        },
        onResponseData(_controller, chunk) {
          size += chunk.length
          if (size > maxBytes) abort(new UpstreamFailure('too_large'))
          else chunks.push(chunk)
        },
        onResponseEnd() {
          resolve({
            status,
            headers,
            body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
          })
        },
        onResponseError(_controller, error) {
          reject(aborted ?? connectionFailure(error))
        },
      },
    )
  })
}
