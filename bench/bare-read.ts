import Fastify from 'fastify'
import pg from 'pg'

/** The least a program of this kind can do: Fastify, pg, and the statement of the console. */
const [, , port, databaseUrl, team, name, text, size] = process.argv
const pool = new pg.Pool({ connectionString: databaseUrl as string, max: Number(size) })
const app = Fastify()
app.get('/v1/agent-configurations/:id', async (request, reply) => {
  const { id } = request.params as { id: string }
  const { rows } = await pool.query({ name, text: text as string, values: [team, id] })
  const [row] = rows as { revision: string; text: string }[]
  if (!row) return reply.code(404).send({ detail: 'Not Found' })
  return reply.header('etag', `"${row.revision}"`).type('application/json').send(row.text)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
