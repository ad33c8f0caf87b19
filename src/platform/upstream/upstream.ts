import type { ServerResponse } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import { Pool } from 'undici'
import { Share } from '../limits/share.ts'
import { createTurnMetrics, Turns } from '../limits/turns.ts'
import type { Metrics } from '../observe/metrics.ts'
import { inSpan, traceHeaders } from '../observe/tracing.ts'
import { hasEnded, onResponseEnd } from '../responses.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { Exchange, type Receiver, type UpstreamRequest } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import { createUpstreamMetrics } from './metrics.ts'
import { type CollectedResponse, collectResponse, type StreamedResponse, streamResponse } from './response.ts'

export interface UpstreamOptions {
  /** The name in metrics. */
  name: string
  url: string
  /** Time limit for the wait for a turn, and again for the request. `fetch`: the whole request including a retry.
   * `stream`: each pause between two bytes. */
  deadlineMs: number
  maxResponseBytes: number
  /** Requests in flight at the same time. */
  maxInFlight: number
  /** Of all teams together. They do not count as in flight. */
  maxEventStreams?: number
  metrics: Metrics
}

/** Both methods return a response below 500, or reject with a Problem. The request is cancelled when the client
 * disconnects from `clientResponse`. */
export interface Upstream {
  fetch: (request: UpstreamRequest, clientResponse: ServerResponse) => Promise<CollectedResponse>
  /** Returns when the head of the response has arrived; the bodies are passed on as they arrive. */
  stream: (request: UpstreamRequest, clientResponse: ServerResponse) => Promise<StreamedResponse>
  state: () => 'up' | 'down'
  breaker: () => BreakerState
  close: () => Promise<void>
}

const MAX_EVENT_STREAMS = 4_096

/** Each request earns a part of a retry, so that retries do not multiply the load on a failing upstream. */
const RETRIES_PER_REQUEST = 0.1
const MAX_SAVED_RETRIES = 10

/** A client for one upstream with its own connections, turns, breaker and retry budget. It follows no redirects and
 * decompresses nothing: bytes are passed on unchanged. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { name, url, deadlineMs, maxResponseBytes, maxInFlight } = options
  const { maxEventStreams = MAX_EVENT_STREAMS } = options
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: maxInFlight + maxEventStreams,
    pipelining: 1,
    // With HTTP/2 many requests would share a connection, and closing it for one would end them all.
    allowH2: false,
    connect: { timeout: Math.min(deadlineMs, 2_000) },
    maxHeaderSize: 32 * 1024,
  })
  const metrics = options.metrics.of(createUpstreamMetrics)(name)
  const turnMetrics = options.metrics.of(createTurnMetrics)(name)
  const turns = new Turns({ places: maxInFlight, maxWaitMs: deadlineMs, metrics: turnMetrics })
  const breaker = new Breaker(() => performance.now(), metrics.setBreakerState)
  const shared = { pool, turns, eventStreams: new Share(maxEventStreams), breaker, maxResponseBytes }
  let savedRetries = 0

  type CreateReceiver<Result> = (onResult: (result: Result) => void) => Receiver

  /** A GET that fails for a transient reason before it has a result is retried once. */
  const send = <Result>(
    request: UpstreamRequest,
    clientResponse: ServerResponse,
    createReceiver: CreateReceiver<Result>,
  ): Promise<Result> =>
    new Promise((resolve, reject) => {
      const endCall = metrics.startCall()
      const mayRetry = request.method === 'GET' && request.body === undefined
      let hasResult = false
      let exchange: Exchange

      const onResult = (result: Result) => {
        hasResult = true
        endCall('succeeded')
        resolve(result)
      }
      const timer = setTimeout(() => {
        if (exchange.onTimeLimit()) timer.refresh()
      }, deadlineMs)
      const attempt = (isRetry: boolean) => {
        const receiver = createReceiver(onResult)
        const onEnd = (failure: UpstreamFailure | undefined) => {
          if (failure?.isTransient && mayRetry && !isRetry && !hasResult && savedRetries >= 1) {
            savedRetries--
            metrics.countRetry()
            return attempt(true)
          }
          clearTimeout(timer)
          receiver.onEnd(failure)
          if (!failure || hasResult) return
          endCall(failure.kind)
          reject(failure.toProblem())
        }
        exchange = new Exchange({ ...shared, request, receiver: { ...receiver, onEnd }, timer, isRetry })
        // The client may have disconnected before, or between two attempts.
        if (hasEnded(clientResponse)) exchange.abort(new UpstreamFailure('client_disconnected'))
        else exchange.start()
      }
      savedRetries = Math.min(MAX_SAVED_RETRIES, savedRetries + RETRIES_PER_REQUEST)
      attempt(false)
      onResponseEnd(clientResponse, () => {
        if (!clientResponse.writableFinished) exchange.abort(new UpstreamFailure('client_disconnected'))
      })
    })

  /** Sends a request within a span, and tells the upstream which. */
  const call = <Result extends { status: number }>(
    request: UpstreamRequest,
    clientResponse: ServerResponse,
    createReceiver: CreateReceiver<Result>,
  ): Promise<Result> => {
    const { method, path, headers } = request
    const attributes = { 'http.request.method': method, 'service.peer.name': name }
    return inSpan(`${method} ${name}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const traced = span ? { ...headers, ...traceHeaders() } : headers
      const sent = { ...request, path: basePath + path, headers: traced }
      const result = await send(sent, clientResponse, createReceiver)
      span?.setAttribute('http.response.status_code', result.status)
      return result
    })
  }

  return {
    fetch: (request, clientResponse) => call(request, clientResponse, collectResponse),
    stream: (request, clientResponse) =>
      call<StreamedResponse>(request, clientResponse, (onResult) => streamResponse(onResult, metrics)),
    state: () => (breaker.state === 'closed' ? 'up' : 'down'),
    breaker: () => breaker.state,
    close: () => pool.destroy(),
  }
}
