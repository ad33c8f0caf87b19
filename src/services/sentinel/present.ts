import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/upstream/breaker.ts'
import type { AnswerRecord } from './answers.ts'
import type { Watch } from './watch.ts'

const seconds = (ms: number) => Math.floor(ms / 1_000)

/** A service as the interface shows it. */
export function presentStatus(watch: Watch, breaker: BreakerState, answers: AnswerRecord): ServiceStatus {
  const { service, adopted, lastBreakingChange: change } = watch
  return {
    name: service.name,
    tag: service.tag,
    prefixes: [...service.prefixes],
    state: watch.state,
    since: seconds(watch.sinceMs),
    faults: [...watch.faults],
    breaker,
    document: adopted
      ? {
          title: adopted.title,
          version: adopted.version,
          since: seconds(adopted.sinceMs),
          operations: adopted.operations.length,
          left_out: [...adopted.leftOut],
        }
      : null,
    last_breaking_change: change
      ? {
          at: seconds(change.atMs),
          from_version: change.fromVersion,
          to_version: change.toVersion,
          changes: [...change.changes],
        }
      : null,
    answers: {
      checked: answers.checked,
      mismatched: answers.mismatched,
      mismatches: [...answers.mismatches.values()].map(({ operation, count, lastAtMs, fault }) => ({
        operation_id: operation.operationId,
        method: operation.method,
        path: operation.path,
        count,
        last_at: seconds(lastAtMs),
        fault,
      })),
    },
  }
}
