import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { chooseCoding, compress } from './content-coding.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler returns the body of the evolution service: it is not compressed. Mounted operations bypass `onSend`. */
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
