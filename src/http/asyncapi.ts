import type { FastifyPluginAsync } from 'fastify'
import { JSON_TYPE, sendCached, toCached } from './cached-content.ts'

/** Serves the AsyncAPI document of the events. */
export const asyncApiRoute: FastifyPluginAsync<{ document: object }> = async (app, { document }) => {
  const content = toCached(JSON.stringify(document), JSON_TYPE, 'no-cache')
  app.get(
    '/asyncapi.json',
    { config: { permission: 'public' }, schema: { hide: true } },
    async (request, reply) => sendCached(request, reply, content),
  )
}
