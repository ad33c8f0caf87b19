import { Pool } from 'undici'
import type { Metrics } from '../metrics.ts'
import { createBreaker, type Permit, RESET_MS } from './breaker.ts'
import { type Abort, exchange, type UpstreamAnswer, type UpstreamRequest } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import { createRetryBudget } from './retry-budget.ts'

export interface UpstreamOptions {
  /** What it is called in metrics. */
  name: string
  url: string
  /** From the first byte sent to the last byte received, a retry included. */
  deadlineMs: number
  maxAnswerBytes: number
  metrics: Metrics
}

/** Whoever waits for an answer, and may stop waiting. */
export interface Waiting {
  onGone: (leave: () => void) => void
}

export interface Upstream {
  /** Answers what the upstream answered below 500, or throws an UpstreamFailure. */
  call: (request: UpstreamRequest, waiting: Waiting) => Promise<UpstreamAnswer>
  state: () => 'up' | 'down'
  /** After which it is worth trying again. */
  retryAfterSeconds: number
  close: () => Promise<void>
}

/** Calls under way to one upstream, whether it answers or hangs. More wait in line for as long as they may. */
const MAX_CONNECTIONS = 256

const RETRIABLE_STATUSES = new Set([502, 503, 504])

/** A client for one upstream: its own connections, deadline, breaker and retry budget. It knows nothing of
 * what is called. Redirects are not followed and nothing is decompressed: the bytes are passed as they came. */
export function createUpstream({
  name,
  url,
  deadlineMs,
  maxAnswerBytes,
  metrics,
}: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url)
  const basePath = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: Math.min(deadlineMs, 2_000) },
    maxHeaderSize: 32 * 1024,
  })
  const measures = metrics.upstream(name)
  const budget = createRetryBudget()
  const breaker = createBreaker(() => performance.now(), measures.breaker)

  const attempt = async (
    request: UpstreamRequest,
    onStart: (abort: Abort) => void,
  ): Promise<UpstreamAnswer> => {
    const permit = breaker.permit()
    if (!permit) throw new UpstreamFailure('not_asked')
    try {
      const answer = await exchange(pool, request, maxAnswerBytes, onStart)
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
        if (ended || !mayRetry(request, error) || !budget.spend()) throw error
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
    state: () => (breaker.state() === 'closed' ? 'up' : 'down'),
    retryAfterSeconds: Math.ceil(RESET_MS / 1_000),
    close: () => pool.destroy(),
  }
}

/** A failure is the upstream's own, unless its caller left. */
function tell(permit: Permit, error: unknown): void {
  if (error instanceof UpstreamFailure && error.kind === 'caller_gone') permit.abandoned()
  else permit.failed()
}

/** Only what changes nothing, and only where a second try may end otherwise. */
function mayRetry({ method }: UpstreamRequest, error: unknown): boolean {
  if (method !== 'GET' || !(error instanceof UpstreamFailure)) return false
  if (error.kind === 'server_error') return RETRIABLE_STATUSES.has(error.status ?? 0)
  return error.kind === 'unreachable' || error.kind === 'cut_off'
}
