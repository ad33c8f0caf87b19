import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkChallenge, pickHeaders } from '../../api/headers.ts'
import { Problem } from '../../api/problem.ts'
import { walkJson } from '../../platform/json.ts'
import type { UpstreamRequest } from '../../platform/upstream/exchange.ts'
import type { CollectedResponse } from '../../platform/upstream/response.ts'
import type { Upstream } from '../../platform/upstream/upstream.ts'
import { toValidationErrorText } from './schema.ts'

export interface EvolutionResponse {
  status: number
  headers: Record<string, string>
  /** A string, because Node sends it in one write with the headers; a Buffer takes a second write. It is valid UTF-8,
   * so the bytes of the upstream do not change. */
  body: string
}

export function fetchEvolutionStatus(
  upstream: Upstream | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  agentId: string,
): Promise<EvolutionResponse> {
  const loc = ['path', 'agent_id']
  return forward(upstream, request, reply, loc, { method: 'GET', path: `/evolution/status/${agentId}` })
}

export function postGenome(
  upstream: Upstream | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  genome: Buffer,
): Promise<EvolutionResponse> {
  return forward(upstream, request, reply, ['body'], { method: 'POST', path: '/v1/genomes', body: genome })
}

/** `loc` is the part of the client's request that a 422 without a location is about. */
async function forward(
  upstream: Upstream | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  loc: string[],
  forwarded: Pick<UpstreamRequest, 'method' | 'path' | 'body'>,
): Promise<EvolutionResponse> {
  if (!upstream) throw new Problem('upstream_not_configured', { headers: { 'retry-after': '60' } })
  // Its team takes the turn.
  const team = request.verified?.tenant ?? ''
  const headers = requestHeaders(request, forwarded.body !== undefined)
  return checkResponse(await upstream.fetch({ ...forwarded, team, headers }, reply.raw), loc)
}

/** Request headers that are forwarded, and response headers that are returned. All others are dropped. */
const FORWARDED = ['traceparent', 'tracestate', 'idempotency-key']
const RETURNED = [
  'cache-control',
  'content-language',
  'etag',
  'last-modified',
  'retry-after',
  'www-authenticate',
]

function requestHeaders({ token, id, headers }: FastifyRequest, hasBody: boolean): Record<string, string> {
  return {
    ...pickHeaders(headers, FORWARDED),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    // A small compressed response could expand into a large one.
    'accept-encoding': 'identity',
    'user-agent': 'agent-console',
    'x-request-id': id,
  }
}

/** Any 2xx becomes 200 and must be a JSON object. A 4xx is returned unchanged, except a 422 that is no
 * HTTPValidationError. Anything else is `upstream_failed`. */
function checkResponse({ status, headers, body }: CollectedResponse, loc: string[]): EvolutionResponse {
  const returned = checkChallenge(status, pickHeaders(headers, RETURNED))
  const text = readJson(headers, body)
  if (text !== undefined && status === 422) {
    const error = toValidationErrorText(text, loc)
    // These two describe the bytes of the upstream.
    const { etag: _etag, 'last-modified': _modified, ...others } = returned
    return { status, headers: error === text ? returned : others, body: error }
  }
  if (text !== undefined && status >= 400) return { status, headers: returned, body: text }
  if (text?.trimStart().startsWith('{') && status >= 200 && status < 300) {
    return { status: 200, headers: returned, body: text }
  }
  throw new Problem('upstream_failed')
}

/** Deeper nesting is rejected. */
const MAX_DEPTH = 1_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a JSON body, checked but not parsed. Undefined when it is not JSON, or is compressed although the
 * request asked for no compression. */
function readJson(headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return undefined
  try {
    const text = utf8.decode(body)
    return walkJson(text, MAX_DEPTH) === undefined ? text : undefined
  } catch {
    return undefined
  }
}
