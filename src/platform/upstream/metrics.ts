import { type Factory, onScrape } from '../observe/metrics.ts'
import type { BreakerState } from './breaker.ts'

const BREAKER_STATES: BreakerState[] = ['closed', 'half_open', 'open']

export type UpstreamMetrics = ReturnType<ReturnType<typeof createUpstreamMetrics>>

export function createUpstreamMetrics(create: Factory) {
  const calls = create.histogram(
    'console_upstream_call_duration_seconds',
    'Duration of calls to an upstream, if streamed to the head of the response; outcome: `succeeded` or a failure',
    ['upstream', 'outcome'],
  )
  // Counted in a map and copied when the metrics are read: changing a gauge costs too much for every request.
  const callsInFlight = new Map<string, number>()
  const inFlight = create.gauge('console_upstream_in_flight', 'Calls to an upstream in flight', ['upstream'])
  onScrape(inFlight, () => {
    for (const [upstream, count] of callsInFlight) inFlight.set({ upstream }, count)
  })
  const streaming = create.gauge(
    'console_upstream_responses_streaming',
    'Responses of an upstream that are being streamed to a client',
    ['upstream'],
  )
  const broken = create.counter(
    'console_upstream_responses_broken_total',
    'Responses of an upstream that failed after their head was sent to the client, by kind of failure',
    ['upstream', 'outcome'],
  )
  const retries = create.counter('console_upstream_retries_total', 'Retried calls to an upstream', [
    'upstream',
  ])
  const breaker = create.gauge(
    'console_upstream_breaker_state',
    '1 for the current state of the circuit breaker of an upstream',
    ['upstream', 'state'],
  )

  return (upstream: string) => {
    const setBreakerState = (current: BreakerState) => {
      for (const state of BREAKER_STATES) breaker.set({ upstream, state }, state === current ? 1 : 0)
    }
    setBreakerState('closed')
    return {
      /** Returns the function to call at the end of the call. */
      startCall: () => {
        const startedAt = performance.now()
        callsInFlight.set(upstream, (callsInFlight.get(upstream) ?? 0) + 1)
        return (outcome: string) => {
          callsInFlight.set(upstream, (callsInFlight.get(upstream) ?? 0) - 1)
          calls.observe({ upstream, outcome }, (performance.now() - startedAt) / 1_000)
        }
      },
      /** Returns the function to call at the end of a response that is streamed to the client. */
      startStreaming: () => {
        streaming.inc({ upstream })
        return (failure?: string) => {
          streaming.dec({ upstream })
          if (failure !== undefined) broken.inc({ upstream, outcome: failure })
        }
      },
      countRetry: () => retries.inc({ upstream }),
      setBreakerState,
    }
  }
}
