import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ValidationError } from '../../src/api/problem.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { type Reply, useConsole } from '../support/console.ts'
import { addProbes } from './probe.ts'
import { FAULT_ROWS, type FaultRow } from './validation-error-rows.ts'

describe('a request that does not fit the contract', async () => {
  const running = await useConsole({ extend: addProbes })
  const person = await running.person()
  const id = (await createAgent(running, person)).id

  const put = (raw: string): Promise<Reply> =>
    running.request('PUT', `${COLLECTION}/${id}`, { token: person.token, raw })
  const get = (path: string): Promise<Reply> => running.request('GET', path, { token: person.token })
  const send = ({ put: body, post, get: path = '' }: FaultRow) => {
    if (post !== undefined) return running.request('POST', COLLECTION, { token: person.token, raw: post })
    return body === undefined ? get(path) : put(body)
  }

  for (const row of FAULT_ROWS) {
    const { type, msg, loc, put: body, post, get: path } = row
    it(`is answered ${type} at ${loc.join('.')}: ${(body ?? post ?? path)?.slice(0, 60)}`, async () => {
      const reply = await send(row)
      assert.equal(reply.status, 422, reply.text)
      assert.deepEqual(reply.body, { detail: [{ loc, msg, type }] })
    })
  }

  it('takes every accepted word for a boolean, in any case', async () => {
    for (const [words, value] of [
      ['true 1 yes on t y', true],
      ['false 0 no off f n', false],
    ] as const) {
      for (const word of words.split(' ').flatMap((text) => [text, text.toUpperCase()])) {
        assert.deepEqual((await get(`/probe?flag=${word}`)).body, { flag: value }, word)
      }
    }
  })

  it('takes an integer of a query with a sign and leading zeros, and the last of several', async () => {
    assert.deepEqual((await get('/probe?limit=%2B007')).body, { limit: 7 })
    assert.deepEqual((await get('/probe?limit=x&limit=8')).body, { limit: 8 })
  })

  it('counts characters, not halves of them', async () => {
    assert.deepEqual((await get(`/probe?q=${encodeURIComponent('😀'.repeat(5))}`)).body, {
      q: '😀'.repeat(5),
    })
  })

  it('reports faults of path, query and body together, in this order and that of the schema', async () => {
    const reply = await running.request<{ detail: ValidationError[] }>(
      'POST',
      '/probe/0/free-form?q=longer&flag=maybe&limit=x',
      { raw: '[]' },
    )
    assert.equal(reply.status, 422)
    assert.deepEqual(
      reply.body.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`),
      [
        'path.number greater_than_equal',
        'query.limit int_parsing',
        'query.flag bool_parsing',
        'query.q string_too_long',
        'body dict_type',
      ],
    )
    const fields = await put(
      '{"test_score":"x","status":1,"zzz":0,"agent_params":{"b":1e999,"top_p":"x"},"hub":"\\u0000","hub":7}',
    )
    assert.deepEqual(
      (fields.body as { detail: ValidationError[] }).detail.map(
        ({ loc, type }) => `${loc.join('.')} ${type}`,
      ),
      [
        'body.status enum',
        'body.hub string_type',
        'body.agent_params.b finite_number',
        'body.agent_params.top_p float_type',
        'body.test_score decimal_parsing',
      ],
    )
  })

  it('reports malformed JSON alone, whatever else is wrong', async () => {
    const reply = await running.request('POST', '/probe/0/free-form?limit=x', { raw: '{"é😀": nul}' })
    assert.deepEqual(reply.body, {
      detail: [{ loc: ['body', 7], msg: 'JSON decode error', type: 'json_invalid' }],
    })
  })
})
