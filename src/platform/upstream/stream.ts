import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { isEventStream } from './event-stream.ts'
import type { Abort } from './exchange.ts'
import { connectionFailure, UpstreamFailure } from './failure.ts'
import type { Line } from './line.ts'
import { relieve } from './relief.ts'
import type { Upload } from './upload.ts'

export interface StreamRequest {
  method: Dispatcher.HttpMethod
  /** An exact path, built by us. */
  path: string
  /** Exactly what is sent, beside what HTTP itself needs. */
  headers: Record<string, string>
  body: Upload | undefined
}

export interface StreamedAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The bytes as they come, at the pace of whoever reads them. Destroyed with an UpstreamFailure where the answer
   * breaks off; destroying it ends the call. */
  body: Readable
  /** Ends the answer here, as if it were complete. */
  finish: () => void
}

/** A stream under way, as far as its surroundings have a say in it. */
export interface Underway {
  abort: Abort
  /** What it is when nothing has moved for long; undefined where it may stand still. */
  stillness: () => UpstreamFailure | undefined
}

export interface StreamObserver {
  onStart: (underway: Underway) => void
  /** A byte moved, either way. */
  onProgress: () => void
  onHead: (answer: StreamedAnswer) => void
  /** Once, however it ended. */
  onEnd: (failure: UpstreamFailure | undefined) => void
}

/** One request and its answer, both passed on as they come. Answers once the head is there. */
export function openStream(
  line: Line,
  request: StreamRequest,
  maxAnswerBytes: number,
  { onStart, onProgress, onHead, onEnd }: StreamObserver,
): Promise<StreamedAnswer> {
  return new Promise((resolve, reject) => {
    const { body: upload, ...rest } = request
    let controller: Dispatcher.DispatchController | undefined
    let answer: StreamedAnswer | undefined
    let size = 0
    let ended: { failure: UpstreamFailure | undefined } | undefined

    const end = (failure?: UpstreamFailure) => {
      if (ended) return
      ended = { failure }
      onEnd(failure)
      if (!answer) reject(failure)
      else if (failure) answer.body.destroy(failure)
      else answer.body.push(null)
    }
    const abort: Abort = (reason) => {
      if (ended) return
      end(reason)
      upload?.destroy()
      // Waiting for a connection, it has no controller yet: it is then refused as soon as it gets one.
      controller?.abort(reason)
    }
    const moved = (bytes: number) => {
      onProgress()
      relieve(bytes)
    }
    const createBody = () =>
      new Readable({
        read: () => controller?.resume(),
        destroy: (error, callback) => {
          abort(new UpstreamFailure('caller_gone'))
          callback(error)
        },
      })
    upload?.once('error', (error) => {
      abort(error instanceof UpstreamFailure ? error : new UpstreamFailure('caller_gone', { cause: error }))
    })
    onStart({
      abort,
      stillness: () => {
        // Held up by whoever reads the answer, or silent by its nature.
        if (answer && (controller?.paused || isEventStream(answer.headers))) return undefined
        // Its turn never came: that says nothing about the upstream.
        if (!controller && line.isFull()) return new UpstreamFailure('not_asked')
        return new UpstreamFailure(upload?.isStarved() ? 'caller_stalled' : 'deadline')
      },
    })

    line.dispatch(
      { ...rest, body: upload ?? null, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          controller = started
          if (ended) started.abort(ended.failure ?? new UpstreamFailure('caller_gone'))
        },
        onBodySent: (chunk: Buffer) => moved(chunk.length),
        onRequestSent: onProgress,
        onResponseStart(_controller, status, headers) {
          if (status < 200) return
          if (status >= 500) return abort(new UpstreamFailure('server_error', { status }))
          if (Number(headers['content-length']) > maxAnswerBytes)
            return abort(new UpstreamFailure('too_large'))
          onProgress()
          answer = {
            status,
            headers,
            body: createBody(),
            finish: () => {
              end()
              controller?.abort(new UpstreamFailure('caller_gone'))
            },
          }
          onHead(answer)
          resolve(answer)
        },
        onResponseData(_controller, chunk) {
          size += chunk.length
          moved(chunk.length)
          if (size > maxAnswerBytes) abort(new UpstreamFailure('too_large'))
          else if (!answer?.body.push(chunk)) controller?.pause()
        },
        onResponseEnd: () => end(),
        onResponseError: (_controller, error) => {
          end(error instanceof UpstreamFailure ? error : connectionFailure(error))
          upload?.destroy()
        },
      },
    )
  })
}
