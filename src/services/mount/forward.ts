import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http'
import { Problem } from '../../contract/problem.ts'
import { pickHeaders } from '../../platform/upstream/headers.ts'
import type { StreamedResponse } from '../../platform/upstream/response.ts'
import { createUpload, type Upload } from '../../platform/upstream/upload.ts'
import type { Upstream } from '../../platform/upstream/upstream.ts'
import { ownLocation } from './location.ts'
import type { Found, MountedOperation } from './table.ts'

/** A service that operations are mounted for. */
export interface MountedService {
  url: string
  upstream: Upstream
  maxRequestBytes: number
  /** The share of its answers that somebody looks at, from 0 to 1. */
  sampleRatio: number
}

/** Who asks, as far as the service is concerned. */
export interface Asker {
  token: string
  requestId: string
  request: IncomingMessage
  /** The response to the client. */
  response: ServerResponse
}

export interface Passed extends StreamedResponse {
  /** Those that are passed on. */
  returned: Record<string, string>
}

/** Asks the service for what was found, and answers the head of what may be passed on. */
export async function forward(service: MountedService, found: Found, asker: Asker): Promise<Passed> {
  const { operation, path } = found
  const { request } = asker
  const { upstream } = service
  const method = request.method as MountedOperation['declared']['method']
  const answer = await upstream.stream(
    {
      method,
      path: path + queryOf(request.url ?? ''),
      headers: requestHeaders(operation, asker),
      body: openBody(request, service.maxRequestBytes),
    },
    asker.response,
  )
  try {
    checkStatus(operation, answer.status)
    const returned = answerHeaders(answer.headers, found, service)
    // It has no body, whatever the service says of its length (RFC 9110 section 8.6).
    if (answer.status === 204) delete returned['content-length']
    return { ...answer, returned }
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

/** Undefined where the request has none. */
function openBody(request: IncomingMessage, maxBytes: number): Upload | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined && Number(length ?? 0) === 0) return undefined
  if (Number(length ?? 0) > maxBytes) throw new Problem('body_too_large')
  return createUpload(request, maxBytes)
}

/** As it came, with its question mark. What follows a # is no part of a request (RFC 9112 section 3.2). */
function queryOf(url: string): string {
  return /^[^?#]*(\?[^#]*)/.exec(url)?.[1] ?? ''
}

function requestHeaders({ requestHeaders: names }: MountedOperation, asker: Asker): Record<string, string> {
  const { headers } = asker.request
  const length = headers['content-length']
  return {
    ...pickHeaders(headers, names),
    ...(length !== undefined && Number(length) > 0 ? { 'content-length': length } : {}),
    authorization: `Bearer ${asker.token}`,
    'user-agent': 'agent-console',
    'x-request-id': asker.requestId,
  }
}

/** A redirect that the service does not declare is no answer of the operation. */
function checkStatus({ declared }: MountedOperation, status: number): void {
  const isRedirect = status >= 300 && status < 400 && status !== 304
  if (isRedirect && !declared.redirects) throw new Problem('upstream_failed')
}

function answerHeaders(
  headers: IncomingHttpHeaders,
  { operation, path }: Found,
  { url }: MountedService,
): Record<string, string> {
  const {
    location,
    'content-location': contentLocation,
    ...returned
  } = pickHeaders(headers, operation.answerHeaders)
  const pointers = { location, 'content-location': contentLocation }
  for (const [name, target] of Object.entries(pointers)) {
    const own = target === undefined ? undefined : ownLocation(target, url, path)
    if (own !== undefined) returned[name] = own
  }
  for (const [name, value] of Object.entries(returned)) {
    try {
      validateHeaderValue(name, value)
    } catch (error) {
      throw new Problem('upstream_failed', { cause: error })
    }
  }
  return returned
}
