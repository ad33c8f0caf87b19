import { type Static, Type } from 'typebox'
import { integer, nullable, oneOf, ref, UnixSeconds } from './fields.ts'

export const SERVICE_STATES = ['starting', 'up', 'document_unreachable', 'document_broken'] as const

const Count = integer({ minimum: 0 })

const ServiceDocument = Type.Object(
  {
    title: Type.String(),
    version: Type.String({ description: 'As the document calls itself' }),
    since: UnixSeconds,
    operations: integer({ minimum: 0, description: 'How many are mounted' }),
    left_out: Type.Array(Type.String(), {
      description: 'A sentence for each operation that is declared and not mounted',
    }),
  },
  { $id: 'ServiceDocument', description: "The document by which a service's operations are mounted" },
)

const ServiceChange = Type.Object(
  {
    at: UnixSeconds,
    from_version: Type.String(),
    to_version: Type.String(),
    changes: Type.Array(Type.String(), { description: 'A sentence for each, at most 50' }),
  },
  { $id: 'ServiceChange', description: 'A change of a document that breaks callers of the one before' },
)

const AnswerMismatch = Type.Object(
  {
    operation_id: Type.String({ description: 'As in the combined document' }),
    method: Type.String(),
    path: Type.String(),
    count: Count,
    last_at: UnixSeconds,
    fault: Type.String({ description: 'How the last one differed. It repeats nothing of the answer.' }),
  },
  {
    $id: 'AnswerMismatch',
    description: 'Sampled answers of an operation that were not as its document declares',
  },
)

export const ServiceStatus = Type.Object(
  {
    name: Type.String(),
    tag: Type.String(),
    prefixes: Type.Array(Type.String(), { description: 'The paths it may own' }),
    state: oneOf(SERVICE_STATES, {
      description:
        'Of its document. The last good one stays in use while a newer one cannot be had or is broken.',
    }),
    since: UnixSeconds,
    faults: Type.Array(Type.String(), { description: 'Why it is in this state, in sentences' }),
    breaker: oneOf(['closed', 'half_open', 'open'], {
      description: 'Open while its operations answer 503 without asking it',
    }),
    document: nullable(ref(ServiceDocument)),
    last_breaking_change: nullable(ref(ServiceChange)),
    answers: Type.Object(
      {
        checked: Count,
        mismatched: Count,
        mismatches: Type.Array(ref(AnswerMismatch)),
      },
      { description: 'The sampled share of its answers, since its document was adopted' },
    ),
  },
  { $id: 'ServiceStatus', description: 'A service behind the console, as the replica that answers sees it' },
)
export type ServiceStatus = Static<typeof ServiceStatus>

export const ServiceList = Type.Object(
  { results: Type.Array(ref(ServiceStatus)) },
  { $id: 'ServiceList', description: 'Services, in the order of the services file' },
)
export type ServiceList = Static<typeof ServiceList>

export const SERVICE_SCHEMAS = [ServiceDocument, ServiceChange, AnswerMismatch, ServiceStatus, ServiceList]
