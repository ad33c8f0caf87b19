import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import * as fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { AGENT_SCHEMAS, AgentCreate, AgentUpdate } from '../../src/agent/schema.ts'
import { DECIMAL_PATTERN, isDecimal, plainDecimal, ref } from '../../src/api/fields.ts'
import { parseUuid } from '../../src/api/uuid.ts'
import { errorHandler } from '../../src/http/errors/error-handler.ts'
import { rawBody } from '../../src/http/request.ts'
import type { JsonSchema } from '../../src/http/validation/check-value.ts'
import { validation } from '../../src/http/validation/plugin.ts'
import { junk, likely } from '../support/arbitrary-body.ts'
import { sized } from '../support/sized.ts'

const BODIES = sized(400, 4_000)

/** Another validator of JSON Schema. */
const ajv = new Ajv({
  schemas: AGENT_SCHEMAS,
  strictTypes: false,
  formats: { uuid: (text: string) => parseUuid(text).ok, int32: true, int64: true },
  // The published pattern of a decimal takes cubic time.
  code: {
    regExp: Object.assign(
      (pattern: string, flags: string) =>
        pattern === DECIMAL_PATTERN
          ? { test: isDecimal, toString: (): string => pattern }
          : new RegExp(pattern, flags),
      { code: 'new RegExp' },
    ),
  },
})

describe('a body is accepted when, and only when, its schema allows it', () => {
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
    it(schema.$id, async () => {
      const counts = { accepted: 0, refused: 0 }
      const body = fc.oneof({ weight: 20, arbitrary: likely(schema) }, { weight: 1, arbitrary: junk })
      await fc.assert(
        fc.asyncProperty(body, async (value) => {
          const text = JSON.stringify(value)
          fc.pre(isLeftToTheSchema(text))
          const reply = await app.inject({ method: 'POST', url: `/${schema.$id}`, payload: text })
          // What is missing altogether is decided before the schema is read.
          const isAllowed = value !== null && ajv.validate(`${schema.$id}#`, JSON.parse(text))
          assert.equal(reply.statusCode, isAllowed ? 200 : 422, `${text}: ${reply.body}`)
          counts[isAllowed ? 'accepted' : 'refused']++
        }),
        { numRuns: BODIES, seed: 20_261_114 },
      )
      assert.ok(counts.accepted > BODIES / 8 && counts.refused > BODIES / 8, JSON.stringify(counts))
    })
  }
})

/** What is decided before the schema is read is tested elsewhere. */
function isLeftToTheSchema(text: string): boolean {
  const { test_score: score } = Object(JSON.parse(text)) as { test_score?: unknown }
  const isPlain = typeof score !== 'number' || plainDecimal(String(score)) !== null
  return isPlain && !/\\u0000|\\ud[89a-f]|__proto__/.test(text)
}
