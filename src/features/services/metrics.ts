import type { Factory } from '../../platform/observe/metrics.ts'
import { SERVICE_STATES } from './schema.ts'

export type ServiceMetrics = ReturnType<ReturnType<typeof createServiceMetrics>>

export function createServiceMetrics(create: Factory) {
  const documentState = create.gauge(
    'console_service_document_state',
    '1 for the current state of the document of a service',
    ['service', 'state'],
  )
  const documentChanges = create.counter(
    'console_service_document_changes_total',
    'Changes of the document of a service',
    ['service'],
  )

  return (service: string) => {
    const setState = (current: string) => {
      for (const state of SERVICE_STATES) documentState.set({ service, state }, state === current ? 1 : 0)
    }
    setState('starting')
    return {
      state: setState,
      countChange: () => documentChanges.inc({ service }),
    }
  }
}

export type ExchangeMetrics = ReturnType<typeof createExchangeMetrics>

export function createExchangeMetrics(create: Factory) {
  const exchanges = create.histogram(
    'console_token_exchange_duration_seconds',
    'Duration of token exchanges at the issuer, by service and outcome: succeeded, failed or unavailable',
    ['service', 'outcome'],
  )
  return {
    /** Returns the function to call at the end of the exchange. */
    startExchange: (service: string) => {
      const startedAt = performance.now()
      return (outcome: 'succeeded' | 'failed' | 'unavailable') =>
        exchanges.observe({ service, outcome }, (performance.now() - startedAt) / 1_000)
    },
  }
}
