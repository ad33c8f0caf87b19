import type { ServiceStatus } from '../../contract/service.ts'
import type { PreparedDocument } from '../document/prepared.ts'

type State = ServiceStatus['state']

/** All that is known of one service. Only `transition` makes a new state. */
export interface ServiceState {
  readonly state: State
  readonly sinceMs: number
  /** Why the service is in its state. */
  readonly errors: readonly string[]
  /** The last valid document. It stays in use while a newer one is unreachable or invalid. */
  readonly adopted: (PreparedDocument & { readonly sinceMs: number }) | undefined
  /** The last document that was checked, with its errors. The same bytes are not checked again. */
  readonly lastChecked: (FetchedDocument & { readonly errors: readonly string[] }) | undefined
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
  /** The document is the one that was checked last. */
  | { type: 'unchanged'; etag: string | undefined }
  | { type: 'unreachable'; reason: string }
  | { type: 'invalid'; fetched: FetchedDocument; errors: readonly string[] }
  /** The console failed: the next poll tries again. */
  | { type: 'failed'; reason: string }
  /** With the changes that break callers of the document before. */
  | { type: 'adopted'; fetched: FetchedDocument; document: PreparedDocument; changes: readonly string[] }

/** How many breaking changes are kept, and how many sentences about a document are logged. */
export const MAX_REPORTED = 50

const NOTHING = { errors: [], adopted: undefined, lastChecked: undefined, lastBreakingChange: undefined }
export const initialState = (sinceMs: number): ServiceState => ({ state: 'starting', sinceMs, ...NOTHING })

export function transition(state: ServiceState, result: PollResult, nowMs: number): ServiceState {
  const enter = (name: State, errors: readonly string[], changes: Partial<ServiceState> = {}) => {
    const sinceMs = name === state.state ? state.sinceMs : nowMs
    return { ...state, ...changes, state: name, errors, sinceMs }
  }
  const { adopted, lastChecked, lastBreakingChange } = state
  switch (result.type) {
    case 'unreachable':
      return enter('document_unreachable', [result.reason])
    // No state of its own: `errors` has the reason.
    case 'failed':
      return enter('document_invalid', [result.reason], { lastChecked: undefined })
    case 'invalid': {
      const { fetched, errors } = result
      return enter('document_invalid', errors, { lastChecked: { ...fetched, errors } })
    }
    case 'unchanged': {
      const errors = lastChecked?.errors ?? []
      const name = errors.length > 0 ? 'document_invalid' : 'up'
      return enter(name, errors, { lastChecked: lastChecked && { ...lastChecked, etag: result.etag } })
    }
  }
  const { fetched, document, changes } = result
  const versions = { fromVersion: adopted?.version ?? '', toVersion: document.version }
  const change = { atMs: nowMs, ...versions, changes: changes.slice(0, MAX_REPORTED) }
  return enter('up', [], {
    lastChecked: { ...fetched, errors: [] },
    adopted: { ...document, sinceMs: nowMs },
    lastBreakingChange: adopted && changes.length > 0 ? change : lastBreakingChange,
  })
}
