import type { ServiceStatus } from '@agent-console/sdk'
import { plural } from '../shared/numbers.ts'
import type { ServiceState } from '../shared/ui/badges.tsx'
import type { IconName } from '../shared/ui/icons.tsx'

export const STATES: Record<ServiceStatus['state'], { word: string; glyph: ServiceState }> = {
  up: { word: 'Up', glyph: 'ok' },
  starting: { word: 'Starting', glyph: 'starting' },
  document_unreachable: { word: 'Unreachable', glyph: 'failed' },
  document_invalid: { word: 'Document broken', glyph: 'warning' },
}

export const BREAKERS: Record<ServiceStatus['breaker'], { word: string; icon: IconName; tone: string }> = {
  closed: { word: 'Closed', icon: 'breakerClosed', tone: 't2' },
  half_open: { word: 'Half open', icon: 'breakerHalfOpen', tone: 'warn-t' },
  open: { word: 'Open', icon: 'breakerOpen', tone: 'danger-t' },
}

/** `state` speaks of the document, `breaker` of the calls: either can be in trouble alone. */
export function needsAttention({ state, breaker }: ServiceStatus): boolean {
  return breaker === 'open' || state === 'document_unreachable' || state === 'document_invalid'
}

export interface Trouble {
  tone: 'danger' | 'warn'
  /** Completes the name of the service: "does not answer". */
  title: string
  /** What works and what does not. */
  sentences: string[]
}

/** undefined: nothing to report. */
export function troubleOf(service: ServiceStatus): Trouble | undefined {
  if (!needsAttention(service)) return undefined
  const { state, breaker, document, errors } = service
  const operations = plural(document?.operations ?? 0, 'operation')
  const sentences = errors.map(asSentence)
  if (breaker === 'open') {
    sentences.push(
      `The circuit breaker is open: calls of its ${operations} get 503 without reaching the service.`,
    )
  }
  if (state !== 'up' && state !== 'starting') {
    sentences.push(
      document === null
        ? 'The console has no document of it yet, so none of its operations is mounted.'
        : `The last valid document, ${document.version}, stays in use.`,
    )
  }
  return {
    tone: breaker === 'open' || document === null ? 'danger' : 'warn',
    title: titleOf(service),
    sentences,
  }
}

function titleOf({ state, breaker }: ServiceStatus): string {
  if (breaker === 'open') return 'does not answer'
  return state === 'document_invalid'
    ? 'has a document that cannot be used'
    : 'has a document that cannot be fetched'
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Where the API reference shows the operation. */
export function referenceOf(tag: string, operation?: { method: string; path: string }): string {
  const slug = tag
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return `/docs#tag/${slug}${operation === undefined ? '' : `/${operation.method.toUpperCase()}${operation.path}`}`
}

/** For a message to the owners of the service. */
export function breakingChangeText({ name, last_breaking_change: change }: ServiceStatus): string {
  if (change === null) return ''
  return [
    `${name}: breaking changes from ${change.from_version} to ${change.to_version}`,
    ...change.changes.map((sentence) => `- ${sentence}`),
  ].join('\n')
}
