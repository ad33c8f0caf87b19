import type { FastifyRequest } from 'fastify'

/** A name or an address, with or without a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])(?::|$)/i

/** Where clients reach the console, without a slash at the end. `configured` is PUBLIC_URL. Without it, it is the host
 * that the request names: with https, because TLS ends in front of the console, except on this machine. Undefined if the
 * request names no valid host. */
export function publicUrlOf({ headers }: FastifyRequest, configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured
  const { host = '' } = headers
  if (!HOST.test(host)) return undefined
  return `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}`
}
