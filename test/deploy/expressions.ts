import { observeAgents } from '../../src/agent/feature.ts'
import { countDroppedAuditEvents } from '../../src/features/audit/audit.ts'
import { observeAuditPartitions } from '../../src/features/audit/queries.ts'
import { createBudgetMetrics } from '../../src/features/budgets/budgets.ts'
import { createRelayMetrics, observeBacklog } from '../../src/features/events/metrics.ts'
import { createServiceMetrics } from '../../src/features/services/poll/poller.ts'
import { observeExchanges } from '../../src/features/services/tokens.ts'
import { createWatchMetrics } from '../../src/features/watch/watch.ts'
import { observeIssuer, observeRevocations } from '../../src/http/auth/identity.ts'
import { createTurnMetrics } from '../../src/platform/limits/turns.ts'
import { observeNats } from '../../src/platform/nats/nats.ts'
import { createMetrics } from '../../src/platform/observe/metrics.ts'
import { createMaintenanceMetrics, observeDatabase } from '../../src/platform/postgres/metrics.ts'
import { createRedisMetrics } from '../../src/platform/redis/redis.ts'
import { createUpstreamMetrics } from '../../src/platform/upstream/metrics.ts'

/** Labels that Prometheus adds, and the bounds of a histogram. */
const ADDED_LABELS = ['instance', 'job', 'le']

/** The labels of each metric that the console can have. */
export function knownMetrics(): Map<string, string[]> {
  const metrics = createMetrics()
  metrics.of(createUpstreamMetrics)('any')
  metrics.of(createServiceMetrics)
  metrics.of(observeExchanges)
  metrics.of(countDroppedAuditEvents)
  metrics.of(createRelayMetrics)
  metrics.of(createWatchMetrics)
  metrics.of(createTurnMetrics)('any')
  metrics.of(createMaintenanceMetrics)
  metrics.of(observeAuditPartitions)
  metrics.of(createRedisMetrics)
  metrics.of(createBudgetMetrics)
  observeBacklog(metrics, () => undefined)
  observeDatabase(metrics, {
    statistics: { pools: new Map(), errors: new Map() },
    state: () => Promise.reject(new Error('There is no database')),
  }).close()
  observeAgents(metrics, () => undefined)
  observeNats(metrics, () => true)
  observeIssuer(metrics, () => 'up')
  observeRevocations(metrics, { state: () => 'up', size: () => 0 })
  const registered = metrics.registry.getMetricsAsArray() as unknown as {
    name: string
    labelNames: string[]
  }[]
  return new Map([
    ['up', ADDED_LABELS],
    ...registered.map(
      ({ name, labelNames }) => [name, [...labelNames, ...ADDED_LABELS]] as [string, string[]],
    ),
  ])
}

/** The metrics that an expression of PromQL reads, without the suffix of a histogram. */
export function metricsOf(expr: string): string[] {
  return [...withoutTexts(expr).matchAll(/\b(?:console_|nodejs_|process_)\w+|\bup\b/g)].map(([name]) =>
    name.replace(/(?<=_seconds)_(?:bucket|sum|count)$/, ''),
  )
}

/** The labels that its selectors and its aggregations name. */
export function labelsOf(expr: string): string[] {
  const text = withoutTexts(expr)
  const selected = [...text.matchAll(/\{([^}]*)\}/g)].flatMap(
    ([, inner = '']) => inner.match(/\w+(?=\s*[=!])/g) ?? [],
  )
  const grouped = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/))
  return [...selected, ...grouped]
}

/** A text may contain braces and names. */
function withoutTexts(expr: string): string {
  return expr.replaceAll(/"[^"]*"/g, '""')
}
