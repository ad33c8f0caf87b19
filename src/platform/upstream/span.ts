import { SpanKind } from '@opentelemetry/api'
import { inSpan, traceHeaders } from '../tracing/spans.ts'
import type { UpstreamRequest } from './exchange.ts'

/** Sends a request within a span, and tells the upstream which. Ends when the result is there, for a stream its head. */
export function inClientSpan<Result extends { status: number }>(
  upstream: string,
  request: UpstreamRequest,
  send: (request: UpstreamRequest) => Promise<Result>,
): Promise<Result> {
  const attributes = { 'http.request.method': request.method, 'service.peer.name': upstream }
  return inSpan(`${request.method} ${upstream}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    if (!span) return send(request)
    const result = await send({ ...request, headers: { ...request.headers, ...traceHeaders() } })
    span.setAttribute('http.response.status_code', result.status)
    return result
  })
}
