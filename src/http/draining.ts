import fp from 'fastify-plugin'

/** While this replica is going away, every answer asks its client to take the next request elsewhere. */
export const draining = fp(
  async (app, { shutdown }: { shutdown: { begun: boolean } }) => {
    app.addHook('onSend', async (_request, reply) => {
      if (shutdown.begun) reply.header('connection', 'close')
    })
  },
  { name: 'draining' },
)
