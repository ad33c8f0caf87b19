import type { Logger } from 'pino'
import { setTracer } from './spans.ts'

export interface TracingSettings {
  /** Where spans are sent, by OTLP over HTTP. */
  url: string
  /** Sent with them, such as a token. */
  headers: Readonly<Record<string, string>>
  /** The part of the requests that is traced, unless their caller has decided already. */
  sampleRatio: number
}

export interface Tracing {
  /** Sends what is left. */
  close: () => Promise<void>
}

/** Spans that wait to be sent. More are dropped: tracing never slows down a request. */
const MAX_WAITING = 2_048
const EXPORT_TIMEOUT_MS = 5_000

/** Begins to trace. The libraries are loaded only now: a process that does not trace pays nothing for them. */
export async function startTracing(
  { url, headers, sampleRatio }: TracingSettings,
  service: { name: string; version: string; instanceId: string },
  log: Logger,
): Promise<Tracing> {
  const [
    api,
    core,
    sdk,
    { AsyncLocalStorageContextManager },
    { resourceFromAttributes },
    { OTLPTraceExporter },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  core.setGlobalErrorHandler((error) => log.warn({ err: error }, 'spans were not sent'))
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS })
  const provider = new sdk.TracerProvider({
    // Spans are made only for requests that are sampled.
    sampler: new sdk.AlwaysOnSampler(),
    resource: resourceFromAttributes({
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instanceId,
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_WAITING,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  setTracer(provider.getTracer('agent-console'), sampleRatio)
  return {
    close: async () => {
      setTracer(undefined)
      await provider.shutdown()
    },
  }
}
