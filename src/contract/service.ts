import { type Static, Type } from 'typebox'
import { described, integer, nullable, oneOf, ref, UnixSeconds } from './fields.ts'

export const SERVICE_STATES = ['starting', 'up', 'document_unreachable', 'document_invalid'] as const

const count = (description: string) => integer({ minimum: 0, description })

const ServiceDocument = Type.Object(
  {
    title: Type.String({ description: 'Title in the document.' }),
    version: Type.String({ description: 'Version in the document.' }),
    since: described(UnixSeconds, 'Time when the console began to use the document, Unix time in seconds.'),
    operations: count('Number of mounted operations.'),
    left_out: Type.Array(Type.String(), {
      description: 'One sentence for each declared operation that is not mounted, with the reason.',
    }),
  },
  { $id: 'ServiceDocument', description: 'The OpenAPI document of a service that is in use.' },
)

const ServiceChange = Type.Object(
  {
    at: described(UnixSeconds, 'Time when the console began to use the new document, Unix time in seconds.'),
    from_version: Type.String({ description: 'Version of the previous document.' }),
    to_version: Type.String({ description: 'Version of the new document.' }),
    changes: Type.Array(Type.String(), { description: 'One sentence for each breaking change, at most 50.' }),
  },
  { $id: 'ServiceChange', description: 'A new document that breaks clients of the previous one.' },
)

const ResponseMismatch = Type.Object(
  {
    operation_id: Type.String({ description: 'Operation id in the combined document.' }),
    method: Type.String({ description: 'HTTP method of the operation.' }),
    path: Type.String({ description: 'Path of the operation in the combined document.' }),
    count: count('Number of sampled responses that differ from the document.'),
    last_at: described(UnixSeconds, 'Time of the latest one, Unix time in seconds.'),
    difference: Type.String({
      description: 'How the latest response differs from the document. It quotes nothing from the response.',
    }),
  },
  {
    $id: 'ResponseMismatch',
    description: 'Sampled responses of one operation that differ from the document.',
  },
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
    last_breaking_change: nullable(
      ref(ServiceChange, { description: 'The last new document that breaks clients. null: none.' }),
    ),
    responses: Type.Object(
      {
        checked: count('Number of sampled responses that were compared with the document.'),
        mismatched: count('Number of them that differ from the document.'),
        mismatches: Type.Array(ref(ResponseMismatch), { description: 'The differences by operation.' }),
      },
      { description: 'Result of the sampled response checks since the document has been in use.' },
    ),
  },
  { $id: 'ServiceStatus', description: 'A mounted service, as the replica that sends the response sees it.' },
)
export type ServiceStatus = Static<typeof ServiceStatus>

export const ServiceList = Type.Object(
  { results: Type.Array(ref(ServiceStatus), { description: 'Services in the order of the services file.' }) },
  { $id: 'ServiceList', description: 'All mounted services.' },
)
export type ServiceList = Static<typeof ServiceList>

export const SERVICE_SCHEMAS = [ServiceDocument, ServiceChange, ResponseMismatch, ServiceStatus, ServiceList]
