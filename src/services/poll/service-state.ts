import type { ServiceStatus } from '../../contract/service.ts'
import type { PreparedDocument } from '../document/prepared.ts'

export type Phase = ServiceStatus['state']

/** All that is known of one service. Only `transition` makes a new state. */
export interface ServiceState {
  readonly phase: Phase
  readonly sinceMs: number
  /** Why the service is in its phase. */
  readonly faults: readonly string[]
  /** The last valid document. It stays in use while a newer one is unreachable or broken. */
  readonly adopted: (PreparedDocument & { readonly sinceMs: number }) | undefined
  /** The last document that was judged, with the faults for which it was refused. The same bytes are not judged again. */
  readonly judged: (FetchedDocument & { readonly faults: readonly string[] }) | undefined
  readonly lastBreakingChange:
    | { atMs: number; fromVersion: string; toVersion: string; changes: readonly string[] }
    | undefined
}

interface FetchedDocument {
  readonly etag: string | undefined
  readonly digest: string
}

/** What a poll can find. */
export type PollResult =
  /** The document is the one that was judged last. */
  | { type: 'unchanged'; etag: string | undefined }
  | { type: 'unreachable'; reason: string }
  | { type: 'refused'; fetched: FetchedDocument; faults: readonly string[] }
  /** A failure that is not the document's: the next poll tries again. */
  | { type: 'failed'; reason: string }
  /** With the changes that break callers of the document before. */
  | { type: 'adopted'; fetched: FetchedDocument; document: PreparedDocument; changes: readonly string[] }

/** How many breaking changes are kept. */
export const MAX_CHANGES = 50

const NOTHING = { faults: [], adopted: undefined, judged: undefined, lastBreakingChange: undefined }
export const initialState = (nowMs: number): ServiceState => ({
  phase: 'starting',
  sinceMs: nowMs,
  ...NOTHING,
})

export function transition(state: ServiceState, result: PollResult, nowMs: number): ServiceState {
  const enter = (phase: Phase, faults: readonly string[], changes: Partial<ServiceState> = {}) => {
    const sinceMs = phase === state.phase ? state.sinceMs : nowMs
    return { ...state, ...changes, phase, faults, sinceMs }
  }
  const { adopted, judged, lastBreakingChange } = state
  switch (result.type) {
    case 'unreachable':
      return enter('document_unreachable', [result.reason])
    case 'failed':
      return enter('document_broken', [result.reason], { judged: undefined })
    case 'refused': {
      const { fetched, faults } = result
      return enter('document_broken', faults, { judged: { ...fetched, faults } })
    }
    case 'unchanged': {
      const faults = judged?.faults ?? []
      const phase = faults.length > 0 ? 'document_broken' : 'up'
      return enter(phase, faults, { judged: judged && { ...judged, etag: result.etag } })
    }
  }
  const { fetched, document, changes } = result
  const versions = { fromVersion: adopted?.version ?? '', toVersion: document.version }
  const change = { atMs: nowMs, ...versions, changes: changes.slice(0, MAX_CHANGES) }
  return enter('up', [], {
    judged: { ...fetched, faults: [] },
    adopted: { ...document, sinceMs: nowMs },
    lastBreakingChange: adopted && changes.length > 0 ? change : lastBreakingChange,
  })
}
