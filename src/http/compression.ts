import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The evolution service sent the body: it is not compressed. Mounted operations bypass `onSend`. */
    forwards?: true
  }
}

const MIN_BYTES = 1024

/** Compresses the JSON of the console's own operations. Not compressed:
 * - event streams, which are streams, not text;
 * - bodies of other services;
 * - responses with `no-store`: they may contain secrets, and the length of a compressed body that also contains text
 *   of the request would reveal them (the BREACH attack).
 * A revision is the same ETag in every coding, so that a client can send it back in `If-Match`. */
export const compression = fp(
  async (app) => {
    app.addHook('onSend', async (request, reply, payload) => {
      if (!mayCompress(request, reply)) return payload
      reply.header('vary', 'accept-encoding')
      if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload
      if (Buffer.byteLength(payload) < MIN_BYTES) return payload
      const coding = chooseCoding(request.headers['accept-encoding'])
      if (coding === undefined) return payload
      reply.header('content-encoding', coding)
      return compress(coding, payload, 'fast')
    })
  },
  { name: 'compression' },
)

function mayCompress({ routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  // A 304 has no media type.
  const type = reply.getHeader('content-type') ?? 'application/json'
  return (
    routeOptions.config?.forwards !== true &&
    // Compressed already.
    !reply.hasHeader('content-encoding') &&
    String(type).startsWith('application/json') &&
    reply.getHeader('cache-control') !== 'no-store'
  )
}

/** In the order of preference: brotli needs less CPU time than gzip and gives fewer bytes. */
const CODINGS = ['br', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

/** `fast` is for a body that is sent once, `small` for one that is kept and sent often. */
export type Effort = 'fast' | 'small'

const BROTLI_QUALITY = { fast: 1, small: 6 }
const GZIP_LEVEL = { fast: 1, small: 6 }

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Runs in the thread pool of Node. */
function compress(coding: Coding, body: string | Uint8Array, effort: Effort): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(body, { level: GZIP_LEVEL[effort] })
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] } })
}

/** The coding for a response, or undefined to send it as it is (RFC 9110 section 12.5.3). */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight))
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a))
  const isPreferred = best && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0)
  return isPreferred ? best : undefined
}

/** A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [coding, weight === undefined ? 1 : Number(weight) || 0]
}

export const JSON_TYPE = 'application/json; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'

/** Bytes that are the same for every client. */
export interface CachedContent {
  readonly type: string
  readonly bytes: Uint8Array
  /** A strong ETag of the bytes. */
  readonly etag: string
  readonly cacheControl: string
}

/** Each body is compressed once, and all responses send the same buffer, so a slow client needs no copy in memory. */
const compressed = new WeakMap<Uint8Array, Map<Coding, Promise<Buffer>>>()

export async function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag, cacheControl }: CachedContent,
): Promise<FastifyReply> {
  const coding = chooseCoding(request.headers['accept-encoding'])
  // Different bytes have different strong tags (RFC 9110 section 8.8.3.3).
  const tag = coding ? `${etag.slice(0, -1)}-${coding}"` : etag
  reply.headers({ etag: tag, 'cache-control': cacheControl, vary: 'accept-encoding' })
  if (matchesETag(tag, request.headers['if-none-match'])) return reply.code(304).send()
  if (coding) reply.header('content-encoding', coding)
  return reply.type(type).send(coding ? await compressOnce(coding, bytes) : bytes)
}

/** Content whose ETag is its hash. */
export function toCached(text: string, type: string, cacheControl: string): CachedContent {
  const bytes = Buffer.from(text)
  return { type, bytes, etag: `"${hash('sha256', bytes, 'base64url')}"`, cacheControl }
}

function compressOnce(coding: Coding, bytes: Uint8Array): Promise<Buffer> {
  const codings = compressed.get(bytes) ?? new Map<Coding, Promise<Buffer>>()
  const result = codings.get(coding) ?? compress(coding, bytes, 'small')
  compressed.set(bytes, codings.set(coding, result))
  return result
}

/** Weak comparison (RFC 9110 section 13.1.2): a proxy that compresses turns the tag into a weak one. */
function matchesETag(etag: string, ifNoneMatch = ''): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
