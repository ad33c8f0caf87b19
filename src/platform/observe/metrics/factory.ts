import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Factory = ReturnType<typeof createFactory>

/** Creates the metrics of one registry. */
export function createFactory(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Histogram({ name, help, labelNames, buckets: SECONDS, registers }),
  }
}

/** Sets the values of a metric at each scrape, and not at each change. It must not wait: a scrape would take longer because
 * what it reads does. */
export function onScrape<Label extends string>(metric: Metric<Label>, collect: () => void): void {
  Object.assign(metric, { collect })
}
