import type { FastifyPluginAsync } from 'fastify'

/** Serves the AsyncAPI document of the events. */
export const asyncApiRoute: FastifyPluginAsync<{ document: object }> = async (app, { document }) => {
  const text = JSON.stringify(document)
  app.get(
    '/asyncapi.json',
    { config: { permission: 'public' }, schema: { hide: true } },
    async (_request, reply) =>
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text),
  )
}
