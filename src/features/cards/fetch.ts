import { hash } from 'node:crypto'
import { type ValidationError, valueError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { documents } from '../../http/validation/body.ts'
import { isObject } from '../../platform/json.ts'
import { OutboundError, type OutboundResponse } from '../../platform/outbound/client.ts'

export interface FetchRequest {
  teamId: string
  signal: AbortSignal
}

/** A JSON object from a server. */
export interface Fetched {
  /** That was asked for; a redirect does not change it. */
  url: string
  etag: string | undefined
  /** SHA-256 of the bytes, hexadecimal. */
  digest: string
  value: Record<string, unknown>
}

/** Without the version, a server of A2A 1.0 may return the card of 0.3. */
const HEADERS = { 'a2a-version': '1.0' }
const ACCEPT = 'application/json, application/a2a-agent-card+json, */*;q=0.1'

/** Where servers have their card, newest first. */
const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json', '/agent.json']

const NOT_FOUND = 'there is no agent card at this URL'
const NOT_JSON: ValidationError = {
  loc: [],
  msg: 'JSON decode error, the document at this URL is not JSON',
  type: 'json_invalid',
}

/** Why a document cannot be used, for the caller. */
export class CardFetchError extends Error {
  readonly faults: ValidationError[]

  constructor(faults: ValidationError[], options?: ErrorOptions) {
    super('A document could not be fetched', options)
    this.faults = faults
  }
}

export interface CardFetcher {
  outbound: Pick<Core['outbound'], 'get'>
}

/** Fetches the card at a URL: that of the card, or of a server. */
export async function fetchCard(
  { outbound }: CardFetcher,
  url: string,
  request: FetchRequest,
): Promise<Fetched> {
  const candidates = cardUrls(url)
  let last: unknown
  for (const candidate of candidates) {
    try {
      return toFetched(candidate, await send(outbound, candidate, request))
    } catch (error) {
      if (candidates.length === 1 || !isMissing(error)) return rethrow(error)
      last = error
    }
  }
  throw new CardFetchError([valueError([], NOT_FOUND)], { cause: last })
}

/** Fetches the card at exactly this URL again. Undefined if the server says that the copy with this entity tag is
 * current. */
export async function refetchCard(
  { outbound }: CardFetcher,
  url: string,
  etag: string | undefined,
  request: FetchRequest,
): Promise<Fetched | undefined> {
  try {
    const response = await send(outbound, url, request, etag === undefined ? {} : { 'if-none-match': etag })
    return etag !== undefined && response.status === 304 ? undefined : toFetched(url, response)
  } catch (error) {
    return rethrow(error)
  }
}

/** A URL with a query or with `.json` at the end of its path is that of the document. Any other one may be that of
 * a server, or of a card with an unusual name. */
function cardUrls(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return [text]
  url.hash = ''
  if (url.search !== '' || url.pathname.endsWith('.json')) return [url.href]
  const base = url.href.replace(/\/+$/, '')
  const own = url.pathname === '/' ? [] : [url.href]
  return [...WELL_KNOWN.map((path) => base + path), ...own]
}

const send = (
  outbound: CardFetcher['outbound'],
  url: string,
  { teamId, signal }: FetchRequest,
  headers: Record<string, string> = {},
) => outbound.get(url, { teamId, signal, accept: ACCEPT, headers: { ...HEADERS, ...headers } })

function toFetched(url: string, response: OutboundResponse): Fetched {
  const { value, faults } = documents.parse(response.body)
  // Otherwise the caller would look for the error in the body of the request.
  if (faults.some(({ type }) => type === 'json_invalid')) throw new CardFetchError([NOT_JSON])
  if (faults.length > 0) throw new CardFetchError(faults)
  if (!isObject(value)) throw new CardFetchError([valueError([], NOT_FOUND)])
  return {
    url,
    etag: toStoredTag(response.etag),
    digest: hash('sha256', response.body, 'hex'),
    value,
  }
}

/** A page in place of a card, as many servers send for unknown paths, is no card either. */
function isMissing(error: unknown): boolean {
  if (error instanceof CardFetchError) return true
  return (
    error instanceof OutboundError &&
    (error.reason === 'not_success' || error.reason === 'too_many_redirects')
  )
}

function rethrow(error: unknown): never {
  if (!(error instanceof OutboundError)) throw error
  // The message starts with a capital letter and ends with a full stop.
  const reason = error.message.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase())
  throw new CardFetchError([valueError([], reason)], { cause: error })
}

/** Stored with the agent and sent back, so that it must be short and plain. */
function toStoredTag(etag: string | null | undefined): string | undefined {
  return etag && /^(?:W\/)?"[!#-~]{0,200}"$/.test(etag) ? etag : undefined
}
