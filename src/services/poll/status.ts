import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/breaker/circuit.ts'
import type { CheckRecord } from '../check/sampled-checks.ts'
import type { Service } from '../file/service.ts'
import type { ServiceState } from './service-state.ts'

type Known<Key extends keyof ServiceState> = NonNullable<ServiceState[Key]>

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
    state: state.state,
    since: seconds(state.sinceMs),
    errors: [...state.errors],
    breaker,
    document: (adopted && toDocument(adopted)) ?? null,
    last_breaking_change: (change && toChange(change)) ?? null,
    responses: {
      checked: checks.checked,
      mismatched: checks.mismatched,
      mismatches: [...checks.mismatches.values()].map(({ operation, count, lastAtMs, difference }) => ({
        operation_id: operation.operationId,
        method: operation.method,
        path: operation.path,
        count,
        last_at: seconds(lastAtMs),
        difference,
      })),
    },
  }
}

function toDocument({ title, version, sinceMs, operations, leftOut }: Known<'adopted'>) {
  return { title, version, since: seconds(sinceMs), operations: operations.length, left_out: [...leftOut] }
}

function toChange({ atMs, fromVersion, toVersion, changes }: Known<'lastBreakingChange'>) {
  return { at: seconds(atMs), from_version: fromVersion, to_version: toVersion, changes: [...changes] }
}
