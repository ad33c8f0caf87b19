import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { AGENT_SCHEMAS, AgentCreate, AgentUpdate } from '../../src/contract/agent.ts'
import { plainDecimal } from '../../src/contract/decimal.ts'
import { ref } from '../../src/contract/fields.ts'
import { errorHandler } from '../../src/http/error-handler.ts'
import { rawBody } from '../../src/http/raw-body.ts'
import { checkValue, type JsonSchema } from '../../src/http/validation/check-value.ts'
import { ErrorList } from '../../src/http/validation/error-list.ts'
import { validation } from '../../src/http/validation/plugin.ts'
import { junk, likely, resolveSchema } from './arbitrary-body.ts'

/** The schema has two readers: the compiled validator decides, and another one finds the words. */
describe('the two readers of a schema agree', () => {
  let app: FastifyInstance

  before(async () => {
    app = Fastify()
    for (const schema of AGENT_SCHEMAS) app.addSchema(schema)
    await app.register(errorHandler)
    await app.register(rawBody)
    await app.register(validation, { schemas: AGENT_SCHEMAS })
    app.post('/AgentUpdate', { schema: { body: ref(AgentUpdate) } }, async () => 'accepted')
    app.post('/AgentCreate', { schema: { body: ref(AgentCreate) } }, async () => 'accepted')
  })
  after(() => app.close())

  for (const contract of [AgentUpdate, AgentCreate]) {
    const schema = contract as unknown as JsonSchema & { $id: string }
    it(`on every ${schema.$id}`, async () => {
      const counts = { accepted: 0, refused: 0 }
      const body = fc.oneof({ weight: 20, arbitrary: likely(schema) }, { weight: 1, arbitrary: junk })
      await fc.assert(
        fc.asyncProperty(body, async (value) => {
          const text = JSON.stringify(value)
          fc.pre(isLeftToTheSchema(text))
          const reply = await app.inject({ method: 'POST', url: `/${schema.$id}`, payload: text })
          const own = new ErrorList()
          // What is missing altogether is decided before the schema is read.
          if (value !== null) checkValue(schema, JSON.parse(text), ['body'], resolveSchema, own)
          const isAccepted = value !== null && own.errors.length === 0
          assert.equal(reply.statusCode, isAccepted ? 200 : 422, `${text}: ${reply.body}`)
          counts[isAccepted ? 'accepted' : 'refused']++
          if (value === null || isAccepted) return
          assert.deepEqual(places(reply.json().detail), places(own.errors), text)
        }),
        { numRuns: 4_000, seed: 20_261_114 },
      )
      assert.ok(counts.accepted > 500 && counts.refused > 500, JSON.stringify(counts))
    })
  }
})

function places(faults: { loc: unknown; type: string }[]): string[] {
  return faults.map(({ loc, type }) => `${JSON.stringify(loc)} ${type}`)
}

/** What is decided before the schema is read is tested elsewhere. */
function isLeftToTheSchema(text: string): boolean {
  const { test_score: score } = Object(JSON.parse(text)) as { test_score?: unknown }
  const isPlain = typeof score !== 'number' || plainDecimal(String(score)) !== null
  return isPlain && !/\\u0000|\\ud[89a-f]|__proto__/.test(text)
}
