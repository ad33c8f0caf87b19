import type { ServiceStatus } from '@agent-console/sdk'
import { formatMoment, plural } from '../shared/format.ts'
import type { ServiceState } from '../shared/ui/badges.tsx'
import type { IconName } from '../shared/ui/icon.tsx'

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

interface Trouble {
  tone: 'danger' | 'warn'
  /** "protection: its document cannot be fetched since 03:00" */
  title: string
  /** Why, what still works and what does not. */
  sentences: string[]
}

/** undefined: nothing to report. `now` is in seconds. */
export function troubleOf(service: ServiceStatus, now: number): Trouble | undefined {
  if (!needsAttention(service)) return undefined
  const { name, breaker, errors } = service
  const document = documentFault(service, now)
  const isOpen = breaker === 'open'
  return {
    tone: callsPass(service) ? 'warn' : 'danger',
    title: isOpen ? `${name} does not answer` : `${name}: its ${document}`,
    sentences: [
      ...(isOpen && document !== undefined ? [`Its ${document}.`] : []),
      ...errors.flatMap(reasonOf),
      ...callsSentence(service),
    ],
  }
}

/** "document cannot be fetched since 03:00"; undefined: the newest document is in use. */
function documentFault({ state, since }: ServiceStatus, now: number): string | undefined {
  if (state !== 'document_unreachable' && state !== 'document_invalid') return undefined
  const what = state === 'document_unreachable' ? 'cannot be fetched' : 'cannot be used'
  return `document ${what} since ${formatMoment(since, now)}`
}

/** The sentence before it says that the document cannot be fetched: the code of the error is enough. */
const NOT_FETCHED = /^Its document could not be fetched(: )?/

function reasonOf(error: string): string[] {
  const text = error.replace(NOT_FETCHED, '')
  if (text === '' || text === '.') return []
  return [/[.!?]$/.test(text) ? text : `${text}.`]
}

function callsSentence({ state, breaker, document }: ServiceStatus): string[] {
  if (document === null) {
    return ['The console has no document of it yet, so none of its operations is mounted.']
  }
  const inUse = `document ${document.version} stays in use`
  if (breaker === 'closed') return [`Calls are still sent to it; ${inUse}.`]
  const kept = state === 'up' || state === 'starting' ? '' : `; ${inUse}`
  return breaker === 'open'
    ? [
        `The circuit breaker is open: calls of its ${plural(document.operations, 'operation')} ` +
          `get 503 without reaching the service${kept}.`,
      ]
    : [`The circuit breaker is half open: one call passes as a probe, others get 503${kept}.`]
}
