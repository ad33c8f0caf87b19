import type { FastifyPluginAsync } from 'fastify'
import { JSON_TYPE, sendCached, toCached } from './cached-content.ts'

/** Serves the public keys with which services verify the assertions of the console. */
export const jwksRoute: FastifyPluginAsync<{ publicKeys: object }> = async (app, { publicKeys }) => {
  // A new key is published before it signs, so a copy of five minutes does no harm (docs/services.md).
  const content = toCached(JSON.stringify(publicKeys), JSON_TYPE, 'public, max-age=300')
  app.get(
    '/.well-known/jwks.json',
    { config: { permission: 'public' }, schema: { hide: true } },
    async (request, reply) => sendCached(request, reply, content),
  )
}
