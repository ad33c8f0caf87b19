import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../contract/problem.ts'
import { findJsonFault } from '../platform/json-fault.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../platform/upstream/exchange.ts'
import { UpstreamFailure } from '../platform/upstream/failure.ts'
import { pickHeaders } from '../platform/upstream/headers.ts'
import { toProblem } from '../platform/upstream/problem.ts'
import type { Upstream } from '../platform/upstream/upstream.ts'
import type { Waiting } from '../platform/upstream/waiting.ts'

/** Who asks, as far as the evolution service is concerned. */
export interface Asker extends Waiting {
  token: string
  requestId: string
  headers: IncomingHttpHeaders
}

export interface Passed {
  status: number
  headers: Record<string, string>
  /** The upstream's own bytes. */
  body: Buffer
}

export interface EvolutionClient {
  status: (asker: Asker, agentId: string) => Promise<Passed>
  createGenome: (asker: Asker, genome: Buffer) => Promise<Passed>
}

/** Forwards the two operations. Without an upstream, both answer that there is none. */
export function createEvolutionClient(upstream: Upstream | undefined): EvolutionClient {
  const forward = async (asker: Asker, request: UpstreamRequest): Promise<Passed> => {
    if (!upstream) throw new Problem('upstream_unavailable', { headers: { 'retry-after': '60' } })
    const answer = await upstream.call(request, asker).catch((error: unknown) => {
      throw error instanceof UpstreamFailure ? toProblem(error, upstream.retryAfterSeconds) : error
    })
    return pass(answer)
  }

  return {
    status: (asker, agentId) =>
      forward(asker, { method: 'GET', path: `/evolution/status/${agentId}`, headers: requestHeaders(asker) }),
    createGenome: (asker, genome) =>
      forward(asker, {
        method: 'POST',
        path: '/v1/genomes',
        headers: { ...requestHeaders(asker), 'content-type': 'application/json' },
        body: genome,
      }),
  }
}

/** What a caller may say to the evolution service beside its body. Everything else stays here. */
const FORWARDED = ['traceparent', 'tracestate', 'idempotency-key']
const RETURNED = [
  'cache-control',
  'content-language',
  'etag',
  'last-modified',
  'retry-after',
  'www-authenticate',
]

function requestHeaders({ token, requestId, headers }: Asker): Record<string, string> {
  return {
    ...pickHeaders(headers, FORWARDED),
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    // Compressed, a small answer could unfold into a large one.
    'accept-encoding': 'identity',
    'user-agent': 'agent-console',
    'x-request-id': requestId,
  }
}

/** Any 2xx is a 200, and must be an object. A 4xx comes back as it is. Anything else is no answer. */
function pass({ status, headers, body }: UpstreamAnswer): Passed {
  const returned = pickHeaders(headers, RETURNED)
  const text = readJson(headers, body)
  if (text !== undefined && status >= 400) return { status, headers: returned, body }
  if (text?.trimStart().startsWith('{') && status >= 200 && status < 300) {
    return { status: 200, headers: returned, body }
  }
  throw new Problem('upstream_failed')
}

/** What an upstream nests deeper than this is no answer either. */
const MAX_DEPTH = 1_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of an answer that is JSON. It is not parsed: nobody here wants to know what it says. Undefined for what is
 * not JSON, by its bytes or because it is compressed although we asked for none. */
function readJson(headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return undefined
  try {
    const text = utf8.decode(body)
    return findJsonFault(text, MAX_DEPTH) === undefined ? text : undefined
  } catch {
    return undefined
  }
}
