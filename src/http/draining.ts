import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** While this replica is going away, every answer asks its client to take the next request elsewhere. */
export const draining = fp(
  async (app, { shutdown }: { shutdown: { begun: boolean } }) => {
    const ask = async (_request: FastifyRequest, reply: FastifyReply) => {
      if (shutdown.begun) reply.header('connection', 'close')
    }
    // A streamed answer leaves without the second.
    app.addHook('onRequest', ask)
    app.addHook('onSend', ask)
  },
  { name: 'draining' },
)
