import { type Static, Type } from 'typebox'
import { described, integer, nullable, oneOf, ref, UnixSeconds } from '../../api/fields.ts'
import type { Service } from '../../config/services-file.ts'
import type { BreakerState } from '../../platform/upstream/breaker.ts'
import type { PreparedDocument } from './document/document.ts'

export const SERVICE_STATES = ['starting', 'up', 'document_unreachable', 'document_invalid'] as const

const count = (description: string) => integer({ minimum: 0, description })

const ServiceDocument = Type.Object(
  {
    title: Type.String({ description: 'Title in the document.' }),
    version: Type.String({ description: 'Version in the document.' }),
    since: described(
      UnixSeconds,
      'Time when the replica began to use the document, Unix time in seconds: when the document changed, or after ' +
        'the start of the replica.',
    ),
    operations: count('Number of mounted operations.'),
    left_out: Type.Array(Type.String(), {
      description: 'One sentence for each declared operation that is not mounted, with the reason.',
    }),
  },
  { $id: 'ServiceDocument', description: 'The OpenAPI document of a service that is in use.' },
)

export const ServiceStatus = Type.Object(
  {
    name: Type.String({ description: 'Name of the service in the services file.' }),
    tag: Type.String({ description: 'Tag of its operations in the combined document.' }),
    prefixes: Type.Array(Type.String(), {
      description: 'Path prefixes of the service. Operations with other paths are not mounted.',
    }),
    state: oneOf(SERVICE_STATES, {
      description:
        'State of the OpenAPI document, not of the service: `breaker` shows whether calls pass. `starting`: not read ' +
        'yet. `up`: the newest document is in use. `document_unreachable`: the document cannot be fetched. ' +
        '`document_invalid`: the document cannot be used; `errors` gives the reasons. In the last two states the ' +
        'last valid document stays in use.',
    }),
    since: described(UnixSeconds, 'Time of the last change of `state`, Unix time in seconds.'),
    errors: Type.Array(Type.String(), { description: 'Reasons for the state, one sentence each.' }),
    breaker: oneOf(['closed', 'half_open', 'open'], {
      description:
        'State of the circuit breaker. `closed`: calls pass. `open`: calls get 503 without reaching the service. ' +
        '`half_open`: one call passes as a probe.',
    }),
    document: nullable(ref(ServiceDocument, { description: 'The document in use. null: none yet.' })),
  },
  { $id: 'ServiceStatus', description: 'A mounted service, as the replica that sends the response sees it.' },
)
export type ServiceStatus = Static<typeof ServiceStatus>

export const ServiceList = Type.Object(
  { results: Type.Array(ref(ServiceStatus), { description: 'Services in the order of the services file.' }) },
  { $id: 'ServiceList', description: 'All mounted services.' },
)
export type ServiceList = Static<typeof ServiceList>

export const SERVICE_SCHEMAS = [ServiceDocument, ServiceStatus, ServiceList]

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
