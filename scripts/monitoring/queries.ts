import type { Panel, Query } from './dashboard.ts'

/** Grafana replaces it by a window that fits the resolution and the scrape interval. */
const WINDOW = '$__rate_interval'

const selector = (labels: string) => (labels === '' ? '' : `{${labels}}`)

export const query = (expr: string, legend = ''): Query => ({ expr, legend })

/** The rate of a counter, by labels. */
export const rate = (metric: string, by: string, labels = ''): Query => ({
  expr: `sum by (${by}) (rate(${metric}${selector(labels)}[${WINDOW}]))`,
  legend: legendOf(by),
})

/** A gauge, added up by labels. */
export const total = (metric: string, by: string, labels = ''): Query => ({
  expr: `sum by (${by}) (${metric}${selector(labels)})`,
  legend: legendOf(by),
})

/** How often something happened in the last hour. */
export const hourly = (metric: string, by: string, labels = ''): Query => ({
  expr: `sum by (${by}) (increase(${metric}${selector(labels)}[1h]))`,
  legend: legendOf(by),
})

/** The 99th percentile of a histogram, by labels. */
export const p99 = (metric: string, by: string, labels = ''): Query => ({
  expr: `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket${selector(labels)}[${WINDOW}])))`,
  legend: legendOf(by),
})

const legendOf = (by: string) =>
  by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' ')

export const panel = (title: string, unit: string, ...queries: Query[]): Panel => ({ title, unit, queries })
export const stat = (title: string, unit: string, one: Query): Panel => ({
  title,
  unit,
  type: 'stat',
  queries: [one],
})
