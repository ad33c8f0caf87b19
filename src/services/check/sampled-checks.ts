import type { Logger } from 'pino'
import type { ServiceMetrics } from '../../platform/observe/metrics/services.ts'
import type { DeclaredOperation, PreparedDocument } from '../document/prepared.ts'
import type { DocumentWorkers } from '../workers/pool.ts'

interface Mismatch {
  readonly operation: DeclaredOperation
  count: number
  lastAtMs: number
  difference: string
}

/** What the sampled responses of a service showed since its document was adopted. */
export interface CheckRecord {
  checked: number
  mismatched: number
  /** By operation id. */
  readonly mismatches: Map<string, Mismatch>
}

export interface SampledChecks {
  /** Checks the responses of a document's operations from now on. */
  begin: (document: PreparedDocument) => void
  observe: (operation: DeclaredOperation, status: number, contentType: string, bytes: Uint8Array) => void
  recordOf: (document: PreparedDocument | undefined) => CheckRecord
}

interface SampledChecksOptions {
  workers: Pick<DocumentWorkers, 'check'>
  log: Logger
  now: () => number
  metricsOf: (service: string) => ServiceMetrics
}

const NOT_CHECKED = 'responses of this operation are no longer checked'
/** Further samples of a service are dropped while this many wait. */
const MAX_PENDING = 4

const emptyRecord = (): CheckRecord => ({ checked: 0, mismatched: 0, mismatches: new Map() })

/** Compares sampled responses with what their service declares. It never changes or delays a response. */
export function createSampledChecks({ workers, log, now, metricsOf }: SampledChecksOptions): SampledChecks {
  /** A response is compared with the document of its request, even if that was replaced in the meantime. */
  const documentOf = new WeakMap<DeclaredOperation, { document: PreparedDocument; record: CheckRecord }>()
  const skipped = new WeakSet<DeclaredOperation>()
  const pending = new Map<string, number>()

  const note = (operation: DeclaredOperation, record: CheckRecord, difference: string | undefined) => {
    const { service, operationId } = operation
    record.checked++
    metricsOf(service).checked()
    if (difference === undefined) return
    record.mismatched++
    const count = (record.mismatches.get(operationId)?.count ?? 0) + 1
    record.mismatches.set(operationId, { operation, count, lastAtMs: now(), difference })
    metricsOf(service).mismatched(operationId)
    if (count === 1) {
      log.warn(
        { service, operation: operationId, difference },
        'a response differs from what its service declares',
      )
    }
  }

  return {
    recordOf: (document) => {
      const [operation] = document?.operations ?? []
      return (operation && documentOf.get(operation)?.record) ?? emptyRecord()
    },
    begin: (document) => {
      const record = emptyRecord()
      for (const operation of document.operations) documentOf.set(operation, { document, record })
    },
    observe: (operation, status, contentType, bytes) => {
      const known = documentOf.get(operation)
      const { method, path, service, operationId } = operation
      const waiting = pending.get(service) ?? 0
      if (!known || waiting >= MAX_PENDING || skipped.has(operation)) return
      pending.set(service, waiting + 1)
      workers
        .check(known.document, { method, path, status, contentType, bytes })
        .then((difference) => note(operation, known.record, difference))
        .catch((error: unknown) => {
          // The schema does not compile, or a pattern takes too long: the next response would fail too.
          skipped.add(operation)
          log.warn({ service, operation: operationId, err: error }, NOT_CHECKED)
        })
        .finally(() => pending.set(service, (pending.get(service) ?? 1) - 1))
    },
  }
}
