import Fastify from 'fastify'
import { Pool } from 'undici'

/** The least a gateway of this kind can do: Fastify, undici, and nothing else. */
const [, , port, upstream] = process.argv
const pool = new Pool(upstream as string, { connections: 256 })
const app = Fastify()
app.get('/v1/evolution/status/:id', async (request, reply) => {
  const { id } = request.params as { id: string }
  const { statusCode, headers, body } = await pool.request({ method: 'GET', path: `/evolution/status/${id}` })
  return reply.code(statusCode).header('content-type', headers['content-type']).send(body)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
