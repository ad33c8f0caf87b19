import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { type TSchema, Type } from 'typebox'
import { nullable } from '../../src/api/fields.ts'
import { errorHandler } from '../../src/http/errors/error-handler.ts'
import { rawBody } from '../../src/http/request.ts'
import { validation } from '../../src/http/validation/plugin.ts'

async function createApp(schema: { body?: TSchema; querystring?: TSchema }) {
  const app = Fastify()
  await app.register(errorHandler)
  await app.register(rawBody)
  await app.register(validation, { schemas: [] })
  app.post('/', { schema }, async ({ body }) => body)
  await app.ready()
  return app
}

describe('the schema of a request', () => {
  it('may limit a number and the length of a list', async () => {
    const body = Type.Object({
      share: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
      names: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
    })
    const app = await createApp({ body })
    const send = async (payload: object) => (await app.inject({ method: 'POST', url: '/', payload })).json()
    for (const accepted of [{ share: 0.5 }, { share: null }, { names: ['a', 'b'] }]) {
      assert.deepEqual(await send(accepted), accepted)
    }
    const cases: [object, string, string][] = [
      [{ share: -0.5 }, 'greater_than_equal', 'Input should be greater than or equal to 0'],
      [{ share: 2 }, 'less_than_equal', 'Input should be less than or equal to 1'],
      [{ names: [] }, 'too_short', 'List should have at least 1 item after validation, not 0'],
      [{ names: ['a', 'b', 'c'] }, 'too_long', 'List should have at most 2 items after validation, not 3'],
    ]
    for (const [payload, type, msg] of cases) {
      const [name = ''] = Object.keys(payload)
      assert.deepEqual(await send(payload), { detail: [{ loc: ['body', name], msg, type }] })
    }
    await app.close()
  })

  it('may refuse unknown members of an object', async () => {
    const inner = Type.Object({ color: Type.Optional(Type.String()) }, { additionalProperties: false })
    const app = await createApp({ body: Type.Object({ inner }, { additionalProperties: false }) })
    const send = async (payload: object) => (await app.inject({ method: 'POST', url: '/', payload })).json()
    assert.deepEqual(await send({ inner: { color: 'red' } }), { inner: { color: 'red' } })
    const type = 'extra_forbidden'
    assert.deepEqual(await send({ inner: { colour: 1, other: 2 }, outer: 3 }), {
      detail: [
        { loc: ['body', 'outer'], msg: 'Extra inputs are not permitted', type },
        { loc: ['body', 'inner', 'colour'], msg: "Extra inputs are not permitted, use 'color'", type },
        { loc: ['body', 'inner', 'other'], msg: 'Extra inputs are not permitted', type },
      ],
    })
    await app.close()
  })

  const unsupported: Record<string, TSchema> = {
    multipleOf: Type.Number({ multipleOf: 2 }),
    uniqueItems: Type.Array(Type.String(), { uniqueItems: true }),
    minLength: Type.Integer({ minLength: 1 }),
    'additionalProperties with a schema': Type.Object({}, { additionalProperties: Type.String() }),
    anyOf: Type.Union([Type.String(), Type.Integer()]),
    'type with several types': Type.Unsafe({ type: ['string', 'integer'] }),
  }
  for (const [keyword, schema] of Object.entries(unsupported)) {
    it(`with ${keyword} stops the start, because no validation error describes it`, async () => {
      const body = Type.Object({ outer: Type.Array(Type.Object({ inner: schema })) })
      await assert.rejects(createApp({ body }), {
        message: `body.outer[].inner: src/http/validation/check-value.ts does not support ${keyword}`,
      })
    })
  }

  it('with a query parameter that cannot be read from text stops the start', async () => {
    const querystring = Type.Object({ share: Type.Object({}) })
    await assert.rejects(createApp({ querystring }), /^Error: query parameter share: .+ type object$/)
  })
})
