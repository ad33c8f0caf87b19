import { Pool } from 'undici'
import type { Metrics } from '../metrics.ts'
import { type BreakerState, createBreaker, type Permit, RESET_MS } from './breaker.ts'
import { type Abort, exchange, type UpstreamAnswer, type UpstreamRequest } from './exchange.ts'
import { mayEndOtherwise, UpstreamFailure } from './failure.ts'
import { createLine } from './line.ts'
import { createRetryBudget } from './retry-budget.ts'
import type { StreamedAnswer, StreamRequest } from './stream.ts'
import { createStreaming } from './streaming.ts'
import type { Waiting } from './waiting.ts'

export interface UpstreamOptions {
  /** What it is called in metrics. */
  name: string
  url: string
  /** Of a call: from the first byte sent to the last byte received, a retry included. Of a stream: the longest time
   * in which nothing moves. */
  deadlineMs: number
  maxAnswerBytes: number
  /** Calls under way at once, whether it answers or hangs. More wait in line for as long as they may. */
  maxCalls?: number
  metrics: Metrics
}

export interface Upstream {
  /** Answers what the upstream answered below 500, or throws an UpstreamFailure. */
  call: (request: UpstreamRequest, waiting: Waiting) => Promise<UpstreamAnswer>
  /** Likewise, as soon as the head of the answer is there: bodies pass as they come. */
  stream: (request: StreamRequest, waiting: Waiting) => Promise<StreamedAnswer>
  state: () => 'up' | 'down'
  breaker: () => BreakerState
  /** After which it is worth trying again. */
  retryAfterSeconds: number
  close: () => Promise<void>
}

const MAX_CALLS = 256
const MAX_EVENT_STREAMS = 4_096

/** A client for one upstream: its own connections, deadline, breaker and retry budget. It knows nothing of
 * what is called. Redirects are not followed and nothing is decompressed: the bytes are passed as they came. */
export function createUpstream({
  name,
  url,
  deadlineMs,
  maxAnswerBytes,
  maxCalls = MAX_CALLS,
  metrics,
}: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: maxCalls + MAX_EVENT_STREAMS,
    pipelining: 1,
    // What is said here of connections holds where each has one call at a time.
    allowH2: false,
    connect: { timeout: Math.min(deadlineMs, 2_000) },
    maxHeaderSize: 32 * 1024,
  })
  const line = createLine(pool, maxCalls)
  const measures = metrics.upstream(name)
  const budget = createRetryBudget()
  const breaker = createBreaker(() => performance.now(), measures.breaker)
  const stream = createStreaming({ line, basePath, deadlineMs, maxAnswerBytes, measures, budget, breaker })

  const attempt = async (
    request: UpstreamRequest,
    onStart: (abort: Abort) => void,
  ): Promise<UpstreamAnswer> => {
    const permit = breaker.permit()
    if (!permit) throw new UpstreamFailure('not_asked')
    try {
      const answer = await exchange(line, request, maxAnswerBytes, onStart)
      if (answer.status >= 500) throw new UpstreamFailure('server_error', { status: answer.status })
      permit.succeeded()
      return answer
    } catch (error) {
      tell(permit, error)
      throw error
    }
  }

  const call = async (request: UpstreamRequest, waiting: Waiting): Promise<UpstreamAnswer> => {
    const sent = { ...request, path: basePath + request.path }
    const measure = measures.begin()
    budget.earn()
    let abort: Abort = () => {}
    let ended: UpstreamFailure | undefined
    const end = (reason: UpstreamFailure) => {
      ended ??= reason
      abort(ended)
    }
    const deadline = setTimeout(() => end(new UpstreamFailure('deadline')), deadlineMs)
    waiting.onGone(() => end(new UpstreamFailure('caller_gone')))
    const onStart = (abortThis: Abort) => {
      abort = abortThis
    }
    try {
      const answer = await attempt(sent, onStart).catch((error: unknown) => {
        if (ended || request.method !== 'GET' || !mayEndOtherwise(error) || !budget.spend()) throw error
        measures.retried()
        return attempt(sent, onStart)
      })
      measure('answered')
      return answer
    } catch (error) {
      measure(error instanceof UpstreamFailure ? error.kind : 'internal')
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }

  return {
    call,
    stream,
    state: () => (breaker.state() === 'closed' ? 'up' : 'down'),
    breaker: breaker.state,
    retryAfterSeconds: Math.ceil(RESET_MS / 1_000),
    close: () => pool.destroy(),
  }
}

/** A failure is the upstream's own, unless its caller left. */
function tell(permit: Permit, error: unknown): void {
  if (error instanceof UpstreamFailure && error.isCallersOwn) permit.abandoned()
  else permit.failed()
}
