import type { ServiceStatus } from '@agent-console/sdk'
import type { ServiceState } from '../shared/ui/badges.tsx'
import type { IconName } from '../shared/ui/icons.tsx'

const STATES: Record<ServiceStatus['state'], { word: string; glyph: ServiceState }> = {
  up: { word: 'Up', glyph: 'ok' },
  starting: { word: 'Starting', glyph: 'starting' },
  document_unreachable: { word: 'Document unreachable', glyph: 'warning' },
  document_invalid: { word: 'Document broken', glyph: 'warning' },
}

/** A document in trouble is a warning as long as calls pass. */
export function stateBadge(service: ServiceStatus): { word: string; glyph: ServiceState } {
  const { word, glyph } = STATES[service.state]
  return { word, glyph: glyph === 'warning' && !callsPass(service) ? 'failed' : glyph }
}

export const BREAKERS: Record<ServiceStatus['breaker'], { word: string; icon: IconName; tone: string }> = {
  closed: { word: 'Closed', icon: 'breakerClosed', tone: 't2' },
  half_open: { word: 'Half open', icon: 'breakerHalfOpen', tone: 'warn-t' },
  open: { word: 'Open', icon: 'breakerOpen', tone: 'danger-t' },
}

/** The console sends calls to the service. Whether the service answers them, it does not know before. */
export function callsPass({ breaker, document }: ServiceStatus): boolean {
  return breaker === 'closed' && document !== null
}

/** `state` speaks of the document, `breaker` of the calls: either can be in trouble alone. */
export function needsAttention({ state, breaker }: ServiceStatus): boolean {
  return breaker === 'open' || state === 'document_unreachable' || state === 'document_invalid'
}

/** Where the API reference shows the operations of the service. */
export function referenceOf({ name }: ServiceStatus): string {
  return `/docs#tag/${name}`
}
