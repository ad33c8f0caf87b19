import type { ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { createBreaker } from '../breaker/breaker.ts'
import type { BreakerState } from '../breaker/circuit.ts'
import { createSharedBudget } from '../fairness/shared-budget.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { UpstreamRequest } from './exchange.ts'
import { type CollectedResponse, collectResponse, type StreamedResponse, streamResponse } from './response.ts'
import { createRetryBudget } from './retry-budget.ts'
import { send } from './send.ts'
import { createSlots } from './slots.ts'
import { inClientSpan } from './span.ts'

export interface UpstreamOptions {
  /** The name in metrics. */
  name: string
  url: string
  /** Time limit for the wait for a slot, and again for the request. `fetch`: the whole request including a retry.
   * `stream`: each pause between two bytes. */
  deadlineMs: number
  maxResponseBytes: number
  /** Requests in flight at the same time. */
  maxInFlight: number
  /** Of all teams together. They hold no slot. */
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

/** A client for one upstream with its own connections, slots, breaker and retry budget. It follows no redirects and
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
  const metrics = options.metrics.upstream(name)
  const breaker = createBreaker(() => performance.now(), metrics.setBreakerState)
  metrics.observeOpenTeams(breaker.countOpenTeams)
  const parts = {
    ...{ pool, breaker, metrics, deadlineMs, maxResponseBytes },
    slots: createSlots(maxInFlight, deadlineMs),
    eventStreams: createSharedBudget(maxEventStreams),
    budget: createRetryBudget(),
  }
  const streamed = (onResult: (head: StreamedResponse) => void) => streamResponse(onResult, metrics)
  const toSend = (request: UpstreamRequest) => ({ ...request, path: basePath + request.path })

  return {
    fetch: (request, clientResponse) =>
      inClientSpan(name, request, (own) => send(parts, toSend(own), clientResponse, collectResponse)),
    stream: (request, clientResponse) =>
      inClientSpan(name, request, (own) => send(parts, toSend(own), clientResponse, streamed)),
    state: () => (breaker.state() === 'closed' ? 'up' : 'down'),
    breaker: breaker.state,
    close: () => pool.destroy(),
  }
}
