import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { checkChallenge, pickHeaders } from '../../api/headers.ts'
import { Problem } from '../../api/problem.ts'
import { walkJson } from '../../platform/json.ts'
import type { UpstreamRequest } from '../../platform/upstream/exchange.ts'
import type { CollectedResponse } from '../../platform/upstream/response.ts'
import type { Upstream } from '../../platform/upstream/upstream.ts'
import { toValidationErrorText } from './schema.ts'

/** What a forwarded request takes from the client's request. */
export interface EvolutionRequestContext {
  /** Takes the turn. */
  team: string
  token: string
  requestId: string
  headers: IncomingHttpHeaders
  /** The response to the client: the forwarded request is cancelled when the client disconnects. */
  response: ServerResponse
}

export interface EvolutionResponse {
  status: number
  headers: Record<string, string>
  /** A string, because Node sends it in one write with the headers; a Buffer takes a second write. It is valid UTF-8, so
   * the bytes of the upstream do not change. */
  body: string
}

export interface EvolutionClient {
  status: (context: EvolutionRequestContext, agentId: string) => Promise<EvolutionResponse>
  createGenome: (context: EvolutionRequestContext, genome: Buffer) => Promise<EvolutionResponse>
}

/** Forwards the two operations. */
export function createEvolutionClient(upstream: Upstream | undefined): EvolutionClient {
  /** `loc` is the part of the client's request that a 422 without a location is about. */
  const forward = async (context: EvolutionRequestContext, request: UpstreamRequest, loc: string[]) => {
    if (!upstream) throw new Problem('upstream_not_configured', { headers: { 'retry-after': '60' } })
    return checkResponse(await upstream.fetch(request, context.response), loc)
  }

  return {
    status: (context, agentId) =>
      forward(
        context,
        {
          team: context.team,
          method: 'GET',
          path: `/evolution/status/${agentId}`,
          headers: requestHeaders(context),
        },
        ['path', 'agent_id'],
      ),
    createGenome: (context, genome) =>
      forward(
        context,
        {
          team: context.team,
          method: 'POST',
          path: '/v1/genomes',
          headers: { ...requestHeaders(context), 'content-type': 'application/json' },
          body: genome,
        },
        ['body'],
      ),
  }
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

function requestHeaders({ token, requestId, headers }: EvolutionRequestContext): Record<string, string> {
  return {
    ...pickHeaders(headers, FORWARDED),
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    // A small compressed response could expand into a large one.
    'accept-encoding': 'identity',
    'user-agent': 'agent-console',
    'x-request-id': requestId,
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

/** The text of a JSON body, checked but not parsed. Undefined when it is not JSON, or is compressed although the request
 * asked for no compression. */
function readJson(headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return undefined
  try {
    const text = utf8.decode(body)
    return walkJson(text, MAX_DEPTH) === undefined ? text : undefined
  } catch {
    return undefined
  }
}
