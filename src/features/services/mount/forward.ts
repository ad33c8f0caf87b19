import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http'
import { Transform } from 'node:stream'
import { checkChallenge, pickHeaders, TEAM_HEADER } from '../../../api/headers.ts'
import { Problem } from '../../../api/problem.ts'
import type { Service } from '../../../config/services-file.ts'
import type { Upload } from '../../../platform/upstream/exchange.ts'
import { UpstreamFailure } from '../../../platform/upstream/failure.ts'
import type { StreamedResponse } from '../../../platform/upstream/response.ts'
import type { Upstream } from '../../../platform/upstream/upstream.ts'
import type { MountedCaller, ServiceTokens } from '../tokens.ts'
import type { Found, RoutedOperation } from './table.ts'
import { toConsoleLocation } from './template.ts'

type Settings = 'url' | 'readPermission' | 'writePermission' | 'maxRequestBytes' | 'budgetPriority'

/** A service that operations are mounted for. */
export interface MountedService extends Pick<Service, Settings> {
  upstream: Upstream
  tokens: ServiceTokens
}

/** The request to forward, and who sends it. */
export interface ForwardContext {
  /** Its team takes the turn. */
  caller: MountedCaller
  request: IncomingMessage
  /** The response to the client. */
  response: ServerResponse
  /** Called when the service may have received the request. */
  onSent: () => void
}

export interface ForwardedResponse extends StreamedResponse {
  /** The headers for the client. */
  returned: Record<string, string>
}

/** Forwards a request, and returns once the head of the response is there. */
export async function forward(
  service: MountedService,
  found: Found,
  context: ForwardContext,
): Promise<ForwardedResponse> {
  const { operation, path } = found
  const { request, caller, onSent } = context
  const token = await service.tokens.tokenFor(caller)
  const response = await service.upstream.stream(
    {
      team: caller.teamId,
      method: request.method as RoutedOperation['declared']['method'],
      path: path + queryOf(request.url ?? ''),
      headers: requestHeaders(operation, context, token),
      body: openBody(context, service.maxRequestBytes),
      onSent,
    },
    context.response,
  )
  try {
    // A redirect that the operation does not declare counts as a failure of the service.
    const isRedirect = response.status >= 300 && response.status < 400 && response.status !== 304
    if (isRedirect && !operation.declared.redirects) throw new Problem('upstream_failed')
    const returned = checkChallenge(response.status, responseHeaders(response.headers, found, service))
    // A 204 has no Content-Length (RFC 9110 section 8.6).
    if (response.status === 204) delete returned['content-length']
    return { ...response, returned }
  } catch (error) {
    response.body.destroy()
    throw error
  }
}

/** Undefined where the request has none. */
function openBody({ request }: ForwardContext, maxBytes: number): Upload | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined && Number(length ?? 0) === 0) return undefined
  if (Number(length ?? 0) > maxBytes) throw new Problem('body_too_large')
  return createUpload(request, maxBytes)
}

/** A separate stream over the client's request, read at the upstream's pace. undici destroys a body when it is done
 * with it, and destroying the request itself would close the client's connection before the response is sent. */
function createUpload(source: IncomingMessage, maxBytes: number): Upload {
  let size = 0
  const upload = new Transform({
    transform: (chunk: Buffer, _encoding, callback) => {
      size += chunk.length
      if (size > maxBytes) callback(new UpstreamFailure('request_too_large'))
      else callback(null, chunk)
    },
    destroy: (error, callback) => {
      // Node reuses a connection only after the whole request has been read.
      source.unpipe(upload).resume()
      callback(error)
    },
  })
  source.pipe(upload)
  return Object.assign(upload, { isStarved: () => !source.complete && upload.readableLength === 0 })
}

/** The query as it came, with its question mark. A request target has no fragment (RFC 9112 section 3.2). */
function queryOf(url: string): string {
  return /^[^?#]*(\?[^#]*)/.exec(url)?.[1] ?? ''
}

function requestHeaders(
  { requestHeaders: names }: RoutedOperation,
  { request: { headers }, caller }: ForwardContext,
  token: string,
): Record<string, string> {
  const length = headers['content-length']
  return {
    ...pickHeaders(headers, names),
    ...(length !== undefined && Number(length) > 0 ? { 'content-length': length } : {}),
    authorization: `Bearer ${token}`,
    // A token may have several teams.
    [TEAM_HEADER]: caller.teamId,
    'user-agent': 'agent-console',
    'x-request-id': caller.requestId,
  }
}

function responseHeaders(
  headers: IncomingHttpHeaders,
  { operation, path }: Found,
  { url }: MountedService,
): Record<string, string> {
  const returned = pickHeaders(headers, operation.responseHeaders)
  for (const name of ['location', 'content-location']) {
    const own = returned[name] === undefined ? undefined : toConsoleLocation(returned[name], url, path)
    if (own === undefined) delete returned[name]
    else returned[name] = own
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
