import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, chooseCoding, compress } from './content-coding.ts'

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
