import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

interface RequestMeasure {
  method: string
  route: string
  status: number
  seconds: number
}

export interface Metrics {
  registry: Registry
  observeRequest: (measure: RequestMeasure) => void
}

/** A registry of its own for each server, so that two in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'console_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
  }
}
