import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

/** During shutdown, `connection: close` makes clients open their next connection to another replica. */
export const closeOnShutdown = fp(
  async (app, { shutdown }: { shutdown: { hasBegun: boolean } }) => {
    const setHeader = (reply: FastifyReply, done: () => void) => {
      if (shutdown.hasBegun) reply.header('connection', 'close')
      done()
    }
    // Shutdown may begin while a request is handled, hence onSend; a streamed response skips onSend.
    app.addHook('onRequest', (_request, reply, done) => setHeader(reply, done))
    app.addHook('onSend', (_request, reply, _payload, done) => setHeader(reply, done))
  },
  { name: 'close-on-shutdown' },
)
