import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/breaker.ts'
import type { PreparedDocument } from '../document/document.ts'
import type { Service } from '../file/services-file.ts'

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
  | { type: 'adopted'; fetched: FetchedDocument; document: PreparedDocument }

export const initialState = (sinceMs: number): ServiceState => ({
  state: 'starting',
  sinceMs,
  errors: [],
  adopted: undefined,
  lastChecked: undefined,
})

export function transition(state: ServiceState, result: PollResult, nowMs: number): ServiceState {
  const enter = (name: State, errors: readonly string[], changes: Partial<ServiceState> = {}) => {
    const sinceMs = name === state.state ? state.sinceMs : nowMs
    return { ...state, ...changes, state: name, errors, sinceMs }
  }
  const { lastChecked } = state
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
  const { fetched, document } = result
  const adopted = { ...document, sinceMs: nowMs }
  return enter('up', [], { adopted, lastChecked: { ...fetched, errors: [] } })
}

const seconds = (ms: number) => Math.floor(ms / 1_000)

/** A service as `GET /v1/services` shows it. */
export function toStatus(service: Service, state: ServiceState, breaker: BreakerState): ServiceStatus {
  return {
    name: service.name,
    tag: service.tag,
    prefixes: [...service.prefixes],
    state: state.state,
    since: seconds(state.sinceMs),
    errors: [...state.errors],
    breaker,
    document: (state.adopted && toDocument(state.adopted)) ?? null,
  }
}

function toDocument({ title, version, sinceMs, operations, leftOut }: NonNullable<ServiceState['adopted']>) {
  return { title, version, since: seconds(sinceMs), operations: operations.length, left_out: [...leftOut] }
}
