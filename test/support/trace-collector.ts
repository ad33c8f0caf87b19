import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { closeAfter } from './close-after.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status?: { code?: number }
}

export interface TraceCollector {
  url: string
  spans: CollectedSpan[]
  /** Everything received, as it was sent. */
  bodies: string[]
  headers: NodeJS.Dict<string | string[]>[]
  /** The spans of a trace, by name. */
  namesOf: (traceId: string) => string[]
}

/** Receives spans by OTLP over HTTP, in JSON, for the tests of the calling file or suite. */
export async function useTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: TraceCollector['headers'] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    bodies.push(body)
    headers.push(request.headers)
    for (const resource of JSON.parse(body).resourceSpans) {
      for (const scope of resource.scopeSpans) spans.push(...scope.spans)
    }
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
  closeAfter(() => stopListening(server))
  const namesOf = (traceId: string) =>
    spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
  return { url: `http://127.0.0.1:${port}/v1/traces`, spans, bodies, headers, namesOf }
}
