import type { Logger } from 'pino'
import type { ServiceMetrics } from '../../platform/metrics.ts'
import type { Documents } from '../documents/documents.ts'
import type { Readied, SharedBytes } from '../documents/protocol.ts'
import type { DeclaredOperation } from '../operation.ts'

interface Mismatch {
  readonly operation: DeclaredOperation
  count: number
  lastAtMs: number
  fault: string
}

/** What the sampled answers of a service showed, since its document was adopted. */
export interface AnswerRecord {
  checked: number
  mismatched: number
  /** By operation. */
  readonly mismatches: Map<string, Mismatch>
}

export interface AnswersDeps {
  documents: Documents
  log: Logger
  now: () => number
  measures: (service: string) => ServiceMetrics
}

export interface Answers {
  /** From now on these operations are what answers are compared with. */
  mount: (operations: readonly DeclaredOperation[], services: readonly Readied[]) => void
  observe: (operation: DeclaredOperation, status: number, contentType: string, bytes: Uint8Array) => void
  /** Of a document that is in use. */
  of: (readied: Readied | undefined) => AnswerRecord
}

const emptyRecord = (): AnswerRecord => ({ checked: 0, mismatched: 0, mismatches: new Map() })

/** More than this of a service waiting to be checked, and a sample is let go: there will be others. */
const MOST_PENDING = 4

/** Compares sampled answers with what their service declares. An answer is never changed or held up by it. */
export function createAnswers({ documents, log, now, measures }: AnswersDeps): Answers {
  /** An answer is compared with the document by which it was asked for, also when that has been replaced since. */
  const declaredBy = new WeakMap<DeclaredOperation, { readied: Readied; record: AnswerRecord }>()
  /** By prepared document. */
  const records = new WeakMap<SharedBytes, AnswerRecord>()
  const setAside = new WeakSet<DeclaredOperation>()
  const pending = new Map<string, number>()

  const recordOf = ({ prepared }: Readied): AnswerRecord => {
    const record = records.get(prepared) ?? emptyRecord()
    records.set(prepared, record)
    return record
  }

  const note = (operation: DeclaredOperation, record: AnswerRecord, fault: string | undefined) => {
    record.checked++
    measures(operation.service).checked()
    if (fault === undefined) return
    const mismatch = record.mismatches.get(operation.operationId) ?? {
      operation,
      count: 0,
      lastAtMs: 0,
      fault,
    }
    record.mismatched++
    record.mismatches.set(operation.operationId, mismatch)
    Object.assign(mismatch, { count: mismatch.count + 1, lastAtMs: now(), fault })
    measures(operation.service).mismatched(operation.operationId)
    if (mismatch.count === 1) {
      log.warn(
        { service: operation.service, operation: operation.operationId, fault },
        'an answer is not as its service declares',
      )
    }
  }

  return {
    of: (readied) => (readied ? recordOf(readied) : emptyRecord()),
    mount: (operations, services) => {
      const byName = new Map(
        services.map((readied) => [readied.service, { readied, record: recordOf(readied) }]),
      )
      for (const operation of operations) {
        const declared = byName.get(operation.service)
        if (declared) declaredBy.set(operation, declared)
      }
    },
    observe: (operation, status, contentType, bytes) => {
      const declared = declaredBy.get(operation)
      const { method, path, service } = operation
      const before = pending.get(service) ?? 0
      if (!declared || before >= MOST_PENDING || setAside.has(operation)) return
      pending.set(service, before + 1)
      documents
        .check(declared.readied, { method, path, status, contentType, bytes })
        .then((fault) => note(operation, declared.record, fault))
        .catch((error: unknown) => {
          // A schema that cannot be compiled, or a pattern that never ends: the next answer would fare no better.
          setAside.add(operation)
          log.warn(
            { service: operation.service, operation: operation.operationId, err: error },
            'answers are not checked',
          )
        })
        .finally(() => pending.set(service, (pending.get(service) ?? 1) - 1))
    },
  }
}
