import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/upstream/breaker.ts'
import type { CheckRecord } from '../check/sampled-checks.ts'
import type { Service } from '../file/service.ts'
import type { ServiceState } from './service-state.ts'

const seconds = (ms: number) => Math.floor(ms / 1_000)

/** A service as `GET /v1/services` shows it. */
export function toStatus(
  service: Service,
  state: ServiceState,
  breaker: BreakerState,
  checks: CheckRecord,
): ServiceStatus {
  const { adopted, lastBreakingChange: change } = state
  return {
    name: service.name,
    tag: service.tag,
    prefixes: [...service.prefixes],
    state: state.phase,
    since: seconds(state.sinceMs),
    faults: [...state.faults],
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
      checked: checks.checked,
      mismatched: checks.mismatched,
      mismatches: [...checks.mismatches.values()].map(({ operation, count, lastAtMs, fault }) => ({
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
