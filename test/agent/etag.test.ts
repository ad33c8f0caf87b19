import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('a conditional request', async () => {
  const running = await useConsole()
  const person = await running.person()
  /** Values that are neither ETags nor revisions. */
  const INVALID = [
    'abc',
    'W/2',
    '"2',
    '2"',
    '"1" "2"',
    '1, abc',
    '*, "1"',
    '0',
    '07',
    '1.0',
    '-1',
    '',
    '"a b"',
  ]

  const error = (name: string) => ({
    detail: [
      {
        loc: ['header', name],
        msg: 'Value error, this is not an ETag: send the ETag of a response, such as "7", a comma-separated list of ETags, or *',
        type: 'value_error',
      },
    ],
  })

  it('takes a revision without quotes, alone or in a list', async () => {
    const { id } = await createAgent(running, person)
    const put = (tag: string) => putAgent(running, person, id, { purpose: tag }, { 'if-match': tag })
    for (const tag of ['1', '7, 2', '"1",3', 'W/"9" , 4', ', 5 ,,']) {
      assert.equal((await put(tag)).status, 200, tag)
    }
    for (const stale of ['5', '1, 2', '999999999999999']) assert.equal((await put(stale)).status, 412, stale)
    const read = (tag: string) => getAgent(running, person, id, { headers: { 'if-none-match': tag } })
    assert.equal((await read('6')).status, 304)
    assert.equal((await read('1, 6')).status, 304)
    assert.equal((await read('5')).status, 200)
  })

  it('does not find a revision inside another ETag', async () => {
    const { id } = await createAgent(running, person)
    const tag = '"x,1,y"'
    assert.equal((await putAgent(running, person, id, { purpose: 'x' }, { 'if-match': tag })).status, 412)
    assert.equal((await getAgent(running, person, id, { headers: { 'if-none-match': tag } })).status, 200)
  })

  it('with anything else in If-Match is a 422 and changes nothing', async () => {
    const { id } = await createAgent(running, person, { purpose: 'first' })
    const path = `${COLLECTION}/${id}`
    for (const tag of INVALID) {
      for (const [method, target, json] of [
        ['PUT', path, { purpose: 'second' }],
        ['PUT', `${path}/lifecycle`, { trust_stage: 'trusted' }],
        ['POST', `${path}/revisions/1/restore`, undefined],
        ['DELETE', path, undefined],
      ] as const) {
        const reply = await running.request(method, target, {
          token: person.token,
          headers: { 'if-match': tag },
          ...(json && { json }),
        })
        assert.equal(reply.status, 422, `${method} ${target} ${tag}`)
        assert.deepEqual(reply.body, error('if-match'))
      }
    }
    assert.equal((await getAgent(running, person, id)).headers.get('etag'), '"1"')
  })

  it('with anything else in If-None-Match is a 422', async () => {
    const { id } = await createAgent(running, person)
    for (const tag of INVALID) {
      const reply = await getAgent(running, person, id, { headers: { 'if-none-match': tag } })
      assert.deepEqual([reply.status, reply.body], [422, error('if-none-match')], tag)
    }
  })

  it('with a long header is decided in linear time', async () => {
    const { id } = await createAgent(running, person)
    const begun = process.threadCpuUsage()
    for (const tag of [`1${' '.repeat(12_000)}x`, `1${' ,'.repeat(6_000)}x`, `${'1,'.repeat(6_000)}x`]) {
      const reply = await getAgent(running, person, id, { headers: { 'if-none-match': tag } })
      assert.equal(reply.status, 422)
    }
    assert.ok(process.threadCpuUsage(begun).user < 1_000_000)
  })
})
