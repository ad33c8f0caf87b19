import {
  type Attributes,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Logger } from 'pino'

/** Set once, at the start of a process that traces. While it is undefined, the functions of this file only run the
 * work. */
let tracer: Tracer | undefined
/** The part of the requests that is traced, unless their caller has decided already. */
let sampleRatio = 0
/** Traces of this process that have begun and not ended. While there is none, no work can be part of one, so that it
 * need not be looked up. */
let openTraces = 0

function setTracer(started: Tracer | undefined, ratio = 0): void {
  tracer = started
  sampleRatio = ratio
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]([0-9a-f])/

/** Decided before anything is made, so that a request that is not sampled makes no span at all. */
function isSampled(traceparent: unknown): boolean {
  const flags = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  return flags === undefined ? Math.random() < sampleRatio : Number.parseInt(flags, 16) % 2 === 1
}

/** Whether the work that runs now is part of a sampled request. */
function isRecording(): boolean {
  return openTraces > 0 && trace.getActiveSpan()?.isRecording() === true
}

export interface SpanOptions {
  kind?: SpanKind
  attributes?: Attributes
}

/** Runs a part of a request in a span of its own. Does nothing else for a request that is not sampled. */
export function inSpan<Result>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {} }: SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  if (!tracer || !isRecording()) return work()
  return tracer.startActiveSpan(name, { kind, attributes }, (span) => endAfter(span, work))
}

/** Runs work that continues the trace of an earlier request, such as the delivery of an event. */
export function continueTrace<Result>(
  traceparent: string | undefined,
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {} }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer || traceparent === undefined) return work()
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)
  openTraces++
  return tracer
    .startActiveSpan(name, { kind, attributes }, parent, (span) => endAfter(span, work))
    .finally(() => openTraces--)
}

async function endAfter<Result>(span: Span, work: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    return await work(span)
  } catch (error) {
    setFailed(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** Only the class of an error is recorded: its message may contain values of an agent. */
function setFailed(span: Span, error: unknown): void {
  const { code, name = 'Error' } = (error ?? {}) as { code?: unknown; name?: string }
  span.setAttribute('error.type', typeof code === 'string' ? code : name)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The current span, as W3C Trace Context writes it. Undefined if the request is not sampled. */
export function currentTraceparent(): string | undefined {
  return tracer && isRecording() ? traceHeaders()['traceparent'] : undefined
}

/** The headers that continue the trace at another service. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (tracer) propagation.inject(context.active(), headers, defaultTextMapSetter)
  return headers
}

export interface RequestSpan {
  span: Span
  /** Runs handlers of the request in it. */
  run: (work: () => void) => void
  /** To be called once. */
  end: () => void
}

/** Undefined if the request is not sampled. */
export function startRequestSpan(
  name: string,
  headers: Record<string, string | string[] | undefined>,
  attributes: Attributes,
): RequestSpan | undefined {
  if (!tracer || !isSampled(headers['traceparent'])) return undefined
  const parent = propagation.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  const active = trace.setSpan(parent, span)
  openTraces++
  return {
    span,
    run: (work) => context.with(active, work),
    end: () => {
      span.end()
      openTraces--
    },
  }
}

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
