import { Counter, Gauge, Histogram, type Metric, type Registry } from '@prometheus-io/client'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Factory = ReturnType<typeof createFactory>

/** Creates the metrics of one registry. */
export function createFactory(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** A gauge whose value is read at each scrape. `read` must not wait: a scrape would take longer because what it reads does. */
    observed: (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      }),
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Histogram({ name, help, labelNames, buckets: SECONDS, registers }),
  }
}

/** The same for a metric with labels. */
export function onScrape<Label extends string>(metric: Metric<Label>, collect: () => void): void {
  Object.assign(metric, { collect })
}
