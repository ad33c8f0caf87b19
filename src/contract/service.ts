import { type Static, Type } from 'typebox'
import { described, integer, nullable, oneOf, ref, UnixSeconds } from './fields.ts'

export const SERVICE_STATES = ['starting', 'up', 'document_unreachable', 'document_invalid'] as const

const count = (description: string) => integer({ minimum: 0, description })

const ServiceDocument = Type.Object(
  {
    title: Type.String({ description: 'Title in the document.' }),
    version: Type.String({ description: 'Version in the document.' }),
    since: described(
      UnixSeconds,
      'Time when the replica began to use the document, Unix time in seconds: when the document changed, or after the start ' +
        'of the replica.',
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
        'State of the OpenAPI document, not of the service: `breaker` shows whether calls pass. `starting`: not read yet. ' +
        '`up`: the newest document is in use. `document_unreachable`: the document cannot be fetched. `document_invalid`: ' +
        'the document cannot be used; `errors` gives the reasons. In the last two states the last valid document stays in ' +
        'use.',
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
