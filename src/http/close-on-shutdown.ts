import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** During shutdown, `connection: close` makes clients open their next connection to another replica. */
export const closeOnShutdown = fp(
  async (app, { shutdown }: { shutdown: { hasBegun: boolean } }) => {
    const setHeader = async (_request: FastifyRequest, reply: FastifyReply) => {
      if (shutdown.hasBegun) reply.header('connection', 'close')
    }
    // Shutdown may begin while a request is handled, hence onSend; a streamed response skips onSend.
    app.addHook('onRequest', setHeader)
    app.addHook('onSend', setHeader)
  },
  { name: 'close-on-shutdown' },
)
