import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from '@prometheus-io/client'

interface RequestMeasurement {
  method: string
  route: string
  status: number
  /** The service to which the operation forwards its requests. */
  upstream?: string | undefined
  seconds: number
}

export type Metrics = ReturnType<typeof createMetrics>

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Each server has its own registry, so that two in one process do not share counts. */
export function createMetrics() {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const create = createFactory(registry)

  const requests = create.histogram(
    'console_http_request_duration_seconds',
    'Time from the first byte of a request to the last byte of its response',
    ['method', 'route', 'status', 'upstream'],
  )

  const made = new Map<unknown, unknown>()
  return {
    ...create,
    registry,
    observeRequest: ({ seconds, upstream, ...labels }: RequestMeasurement) =>
      requests.observe(upstream === undefined ? labels : { ...labels, upstream }, seconds),
    /** Creates the metrics of a part once for this registry, however often the part asks for them. */
    of: <Made>(createPart: (factory: Factory) => Made): Made => {
      if (!made.has(createPart)) made.set(createPart, createPart(create))
      return made.get(createPart) as Made
    },
  }
}

/** The default metrics of the library, but for the use of the event loop: it would wake the process ten times a
 * second. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: MAX_TIMER_MS })
  for (const kind of ['summary', 'histogram'])
    registry.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`)
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Factory = ReturnType<typeof createFactory>

/** Creates the metrics of one registry. */
export function createFactory(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** A gauge whose value is read at each scrape. `read` must not wait: a scrape would take longer because what it
     * reads does. */
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
