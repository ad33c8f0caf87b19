import { createMetrics } from '../../src/platform/observe/metrics.ts'

/** Labels that Prometheus adds, and the bounds of a histogram. */
const ADDED_LABELS = ['instance', 'job', 'le']

/** The labels of each metric that the console can have. */
export function knownMetrics(): Map<string, string[]> {
  const metrics = createMetrics()
  metrics.upstream('any')
  metrics.service('any')
  metrics.exchanges()
  metrics.droppedAuditEvents()
  metrics.relay()
  metrics.watch()
  metrics.turns('any')
  metrics.maintenance()
  metrics.auditPartitions()
  metrics.observeBacklog(() => undefined)
  metrics.observeDatabase({ statistics: { pools: new Map(), errors: new Map() }, state: () => undefined })
  metrics.observeAgents(() => undefined)
  metrics.observeNats(() => true)
  metrics.observeIssuer(() => 'up')
  metrics.observeRevocations({ state: () => 'up', size: () => 0 })
  metrics.redis()
  metrics.requestBudgets()
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
