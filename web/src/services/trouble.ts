import type { ServiceStatus } from '@agent-console/sdk'
import { plural } from '../shared/numbers.ts'
import { formatMoment } from '../shared/time.ts'
import { callsPass, needsAttention } from './state.ts'

export interface Trouble {
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
        `The circuit breaker is open: calls of its ${plural(document.operations, 'operation')} get 503 without reaching the service${kept}.`,
      ]
    : [`The circuit breaker is half open: one call passes as a probe, others get 503${kept}.`]
}
