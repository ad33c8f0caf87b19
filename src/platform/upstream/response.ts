import { Readable } from 'node:stream'
import type { Receiver, ResponseHead } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import type { UpstreamMetrics } from './metrics.ts'

export interface CollectedResponse extends ResponseHead {
  body: Buffer
}

export interface StreamedResponse extends ResponseHead {
  /** The bytes as they arrive, at the pace of the reader. Destroyed with an UpstreamFailure when the response breaks
   * off; destroying it ends the request. */
  body: Readable
  /** Ends the response here as if it were complete. */
  finish: () => void
}

/** The result is the whole response. */
export function collectResponse(onResult: (response: CollectedResponse) => void): Receiver {
  const chunks: Buffer[] = []
  let head: ResponseHead | undefined
  return {
    isStreamed: false,
    onHead: (received) => {
      head = received
    },
    onChunk: (chunk) => chunks.push(chunk) > 0,
    onEnd: (failure) => {
      if (failure || !head) return
      onResult({ status: head.status, headers: head.headers, body: Buffer.concat(chunks) })
    },
  }
}

/** The result is the head of the response, with a body that is still arriving. */
export function streamResponse(
  onResult: (response: StreamedResponse) => void,
  metrics: UpstreamMetrics,
): Receiver {
  let body: Readable | undefined
  let endStreaming: ReturnType<UpstreamMetrics['startStreaming']> | undefined
  return {
    isStreamed: true,
    onHead: ({ status, headers }, exchange) => {
      endStreaming = metrics.startStreaming()
      body = new Readable({
        // undici and the socket read ahead. This stream does not: each of many clients that read slowly would hold it.
        highWaterMark: 0,
        read: () => exchange.resume(),
        destroy: (error, callback) => {
          exchange.abort(new UpstreamFailure('client_disconnected'))
          callback(error)
        },
      })
      onResult({ status, headers, body, finish: () => exchange.abort() })
    },
    onChunk: (chunk) => !body || (body.push(chunk) && !body.isPaused()),
    onEnd: (failure) => {
      endStreaming?.(failure?.kind)
      if (failure) body?.destroy(failure)
      else body?.push(null)
    },
  }
}
