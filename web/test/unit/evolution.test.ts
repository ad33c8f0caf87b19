import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inWords, readGenome, readStatus } from '../../src/agent/evolution/status.ts'

describe('the status of the evolution service', () => {
  it('is read by the members that are known; all others are kept', () => {
    const status = readStatus({ agent_id: 'a', state: 'idle', generation: 3, proposals: [], islands: 4 })
    assert.equal(status.state, 'idle')
    assert.equal(status.generation, 3)
    assert.deepEqual(status.proposals, [])
    assert.deepEqual(status.rest, { islands: 4 })
  })

  it('loses nothing if a known member has another type', () => {
    const status = readStatus({ state: { name: 'idle' }, generation: 'three', proposals: 'none' })
    assert.deepEqual(status.rest, { state: { name: 'idle' }, generation: 'three', proposals: 'none' })
  })

  it('is shown in words', () => assert.equal(inWords('awaiting_approval'), 'Awaiting approval'))
})

describe('a genome', () => {
  it('is a JSON object', () => {
    assert.deepEqual(readGenome('{"name":"x"}'), { genome: { name: 'x' } })
    for (const text of ['[]', '3', 'null', '"x"'])
      assert.match(JSON.stringify(readGenome(text)), /fault.*object/)
    assert.match(JSON.stringify(readGenome('{"name":')), /fault.*not JSON/)
  })
})
