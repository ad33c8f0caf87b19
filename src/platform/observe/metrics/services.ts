import { SERVICE_STATES } from '../../../contract/service.ts'
import type { Factory } from './factory.ts'

export interface ServiceMetrics {
  state: (state: string) => void
  changed: (isBreaking: boolean) => void
  checked: () => void
  mismatched: (operation: string) => void
}

export function createServiceMetrics(create: Factory) {
  const documentState = create.gauge(
    'console_service_document_state',
    '1 for the current state of the document of a service',
    ['service', 'state'],
  )
  const documentChanges = create.counter(
    'console_service_document_changes_total',
    'Changes of the document of a service, by whether they break clients',
    ['service', 'breaking'],
  )
  const checks = create.counter(
    'console_service_responses_checked_total',
    'Sampled responses that were compared with the document of their service',
    ['service'],
  )
  const mismatches = create.counter(
    'console_service_responses_mismatched_total',
    'Sampled responses that do not match the document of their service',
    ['service', 'operation'],
  )

  return (service: string): ServiceMetrics => {
    const setState = (current: string) => {
      for (const state of SERVICE_STATES) documentState.set({ service, state }, state === current ? 1 : 0)
    }
    setState('starting')
    return {
      state: setState,
      changed: (isBreaking) => documentChanges.inc({ service, breaking: String(isBreaking) }),
      checked: () => checks.inc({ service }),
      mismatched: (operation) => mismatches.inc({ service, operation }),
    }
  }
}

export interface ExchangeMetrics {
  /** Returns the function to call at the end of the exchange. */
  startExchange: (service: string) => (outcome: 'succeeded' | 'failed' | 'unavailable') => void
}

export function createExchangeMetrics(create: Factory): ExchangeMetrics {
  const exchanges = create.histogram(
    'console_token_exchange_duration_seconds',
    'Duration of token exchanges at the issuer, by service and outcome: succeeded, failed or unavailable',
    ['service', 'outcome'],
  )
  return {
    startExchange: (service) => {
      const startedAt = performance.now()
      return (outcome) => exchanges.observe({ service, outcome }, (performance.now() - startedAt) / 1_000)
    },
  }
}
