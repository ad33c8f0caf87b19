import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ValidationError } from '../../src/api/problem.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { addProbes } from './probe.ts'

const FAULTS = {
  inexact: 'Value error, this number has more digits than a double-precision number keeps',
  infinite: 'Input should be a finite number',
  nul: 'Value error, text may not contain the character U+0000',
  surrogate: 'Input should be a valid string, unable to parse raw data as a unicode string',
  prototype: 'Value error, the name __proto__ is not accepted',
}

const params = (json: string) => `{"agent_params":{"x":${json}}}`

describe('what a body may hold', async () => {
  const running = await useConsole({ extend: addProbes })
  const person = await running.person()
  const path = `${COLLECTION}/${(await createAgent(running, person)).id}`

  const put = (raw: string) => running.request('PUT', path, { token: person.token, raw })
  const refused = async (raw: string): Promise<[string, string][]> => {
    const reply = await put(raw)
    assert.equal(reply.status, 422, reply.text.slice(0, 500))
    return reply.body.detail.map(({ loc, msg }: ValidationError) => [loc.join('.'), msg])
  }

  it('a number in a nested object is kept or refused, never changed', async () => {
    const kept =
      '0.1 1.0 -0.5 1e-5 15e-1 1e300 5e-324 9007199254740992 1.7976931348623157e308 123456789012345.6 0e999'
    for (const literal of kept.split(' ')) {
      const reply = await put(params(literal))
      assert.equal(reply.status, 200, `${literal}: ${reply.text}`)
      assert.equal(reply.body.agent_params.x, Number(literal))
    }
    for (const literal of ['12345678901234567890', '9007199254740993', '0.12345678901234567891', '1e-400']) {
      assert.deepEqual(await refused(params(literal)), [['body.agent_params.x', FAULTS.inexact]], literal)
    }
    assert.deepEqual(await refused(params('1e400')), [['body.agent_params.x', FAULTS.infinite]])
    assert.deepEqual(await refused(params(`[{"y":${'9'.repeat(5_000)}}]`)), [
      ['body.agent_params.x.0.y', FAULTS.infinite],
    ])
  })

  it('an integer has nothing behind the point, however little it is', async () => {
    for (const literal of ['1.0', '10e-1', '1e2']) {
      const reply = await put(`{"last_evaluated_at":${literal}}`)
      assert.equal(reply.body.last_evaluated_at, Number(literal))
    }
    for (const literal of ['1.00000000000000000001', '1e-400', '9007199254740990.6']) {
      const [[place, message] = []] = await refused(`{"last_evaluated_at":${literal}}`)
      assert.equal(place, 'body.last_evaluated_at')
      assert.match(message ?? '', /fractional part/, literal)
    }
  })

  it('test_score keeps every digit of a number, and refuses what has no plain notation', async () => {
    for (const [literal, plain] of [
      ['1234567890123456789012345678901234567.123', '1234567890123456789012345678901234567.123'],
      ['-0.1234567890123456789012345678901234567891', '-0.1234567890123456789012345678901234567891'],
      ['1234567890123456789.5e10', '12345678901234567895000000000'],
      ['1e-40', `0.${'0'.repeat(39)}1`],
      // Of two fields with one name the last counts.
      ['0.10000000000000000000000001, "test_score": 0.1', '0.1'],
      ['0.1, "test_score": 0.10000000000000000000000001', '0.10000000000000000000000001'],
    ]) {
      const reply = await put(`{"test_score":${literal}}`)
      assert.equal(reply.body.test_score, plain, reply.text)
    }
    for (const literal of ['1e64', '1e100', '1e400', '5e-324', '9'.repeat(65), '1e-99999999999']) {
      assert.deepEqual(await refused(`{"test_score":${literal}}`), [
        ['body.test_score', 'Value error, this number has more than 64 characters in plain notation'],
      ])
    }
    assert.equal((await put('{}')).body.test_score, '0.10000000000000000000000001')
  })

  it('NUL and half a surrogate pair are refused in text and in names, wherever they are', async () => {
    for (const [escape, message] of [
      ['\\u0000', FAULTS.nul],
      ['\\ud83d', FAULTS.surrogate],
      ['\\uDE00', FAULTS.surrogate],
      ['\\ude00\\ud83d', FAULTS.surrogate],
    ] as const) {
      assert.deepEqual(await refused(`{"hub":"a${escape}b"}`), [['body.hub', message]])
      assert.deepEqual(await refused(params(`["\\\\",{"y":"\\\\${escape}"}]`)), [
        ['body.agent_params.x.1.y', message],
      ])
      assert.deepEqual(await refused(params(`{"${escape}":1}`)), [['body.agent_params.x', message]])
      assert.deepEqual(await refused(`{"evaluated_harnesses":["","${escape}"]}`), [
        ['body.evaluated_harnesses.1', message],
      ])
    }
    const kept = await put(params('"\\\\u0000 \\ud83d\\ude00 \\u0001"'))
    assert.equal(kept.body.agent_params.x, '\\u0000 😀 \u0001')
  })

  it('__proto__ is no name, plain or escaped', async () => {
    for (const name of ['__proto__', '\\u005f_proto__', '__\\u0070roto\\u005f_']) {
      assert.deepEqual(await refused(`{"${name}":{"hub":"polluted"}}`), [
        ['body.__proto__', FAULTS.prototype],
      ])
      assert.deepEqual(await refused(params(`[{"${name}":null}]`)), [
        ['body.agent_params.x.0.__proto__', FAULTS.prototype],
      ])
    }
    const reply = await put('{"constructor":{"prototype":1},"toString":"\\u0000","hasOwnProperty":1e999}')
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('console-ignored-fields'), 'constructor, toString, hasOwnProperty')
  })

  it('an unknown field is ignored whatever it holds, and hides nothing behind it', async () => {
    const junk = `[${'1e400,"\\u0000",{"__proto__":"\\ud800"},'.repeat(2_000)}12345678901234567890]`
    assert.equal((await put(`{"zzz":${junk},"\\u0000":1}`)).status, 200)
    assert.deepEqual(await refused(`{"zzz":${junk},"hub":"\\u0000"}`), [['body.hub', FAULTS.nul]])
    assert.deepEqual(await refused(`{"zzz":${junk},${params('9007199254740993').slice(1)}`), [
      ['body.agent_params.x', FAULTS.inexact],
    ])
    assert.deepEqual(
      await refused(`{${'"test_score":1e400,'.repeat(2_000)}"test_score":1,"hub":"\\u0000"}`),
      [['body.hub', FAULTS.nul]],
    )
  })

  it('a body of any form is passed on as its own bytes', async () => {
    const raw = '{"n":12345678901234567890, "__proto__":1e999,"2":"\\u0000","1":1.0}'
    const reply = await running.request('POST', '/probe/7/free-form', { raw })
    assert.deepEqual(reply.body, { number: 7, received: raw })
  })

  it('a name in the place of a fault is cut where it is long, and so is the list of faults', async () => {
    const reply = await put(params(`{"${'n'.repeat(400_000)}":[${'1e400,'.repeat(5_000)}0]}`))
    assert.equal(reply.status, 422)
    assert.ok(reply.text.length < 40_000, `${reply.text.length} characters`)
    assert.equal(reply.body.detail[0].loc[3], `${'n'.repeat(100)}…`)
    const wrong = await put(`{"evaluated_harnesses":[${'0,'.repeat(400_000)}0]}`)
    assert.equal(wrong.body.detail.length, 1_000)
  })

  it('a refused body is quoted neither in the answer nor in the log', async () => {
    const canary = 'sk-canary-5f3a9d'
    const bodies = [
      `{"api_key":"${canary}","status":"${canary}","guard_config_id":"${canary}","test_score":"${canary}"}`,
      `{"api_key":["${canary}"],"white_box_config":{"github_token":{"x":"${canary}"},"repo_url":5}}`,
      `{"api_key":"${canary}\\u0000","agent_params":{"x":"${canary}\\ud800","temperature":"${canary}"}}`,
      `{"api_key":"${canary}"`,
      `{"api_key":${canary}}`,
      `"${canary}"`,
      `["${canary}"]`,
      `{"api_key":"${canary.repeat(1_000)}","mcp_config":{"access_level":"${canary}","server_urls":"${canary}"}}`,
    ]
    for (const raw of bodies) {
      for (const contentType of ['application/json', 'text/plain', canary]) {
        const headers = { 'content-type': contentType }
        for (const [method, target] of [
          ['PUT', path],
          ['POST', COLLECTION],
          ['PUT', `${COLLECTION}/${canary}`],
        ] as const) {
          const reply = await running.request(method, target, { token: person.token, raw, headers })
          assert.equal(reply.status, 422)
          assert.ok(!reply.text.includes(canary), reply.text)
          assert.ok(![...reply.headers].flat().join().includes(canary))
        }
      }
    }
    await running.request(
      'GET',
      `/probe?limit=${canary}&flag=${canary}&id=${canary}&stages=${canary}&q=${canary}`,
    )
    assert.ok(running.logLines.length > 0)
    assert.ok(!running.logLines.join('').includes(canary))
  })
})
