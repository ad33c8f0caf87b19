import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFlock, spell } from '../support/canaries.ts'
import { proveCanaries } from '../support/canary-proof.ts'
import { sized } from '../support/sized.ts'

const AGENTS = sized(20, 200)
const PLANTED = sized(60, 500)

describe('a secret shows in no place but the two that may show it', () => {
  it(`whatever is done to ${AGENTS} agents, nor do ${PLANTED} credentials that were redacted`, (t) =>
    proveCanaries({ agents: AGENTS, planted: PLANTED }, (line) => t.diagnostic(line)))

  it('and the search finds it in every encoding', () => {
    const flock = createFlock()
    const canary = flock.hatch()
    const marker = canary.split('-')[1] as string
    for (const [name, text] of Object.entries(spell(marker))) {
      const found = flock.find(Buffer.from(`before ${text} after`, name === 'UTF-16' ? 'latin1' : 'utf8'))
      assert.ok(
        found.some((leak) => leak.startsWith(`${name}:`)),
        name,
      )
    }
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const text = before + canary
      for (const coded of [
        Buffer.from(text).toString('base64'),
        Buffer.from(text).toString('base64url'),
        Buffer.from(text).toString('hex'),
        JSON.stringify(text),
        encodeURIComponent(text),
        JSON.stringify(Buffer.from(text)),
      ]) {
        assert.equal(flock.find(coded).length > 0, true, coded)
      }
    }
    assert.deepEqual(flock.find(JSON.stringify({ a: canary }), [canary]), [])
    assert.equal(flock.find(JSON.stringify({ a: canary, b: flock.hatch() }), [canary]).length, 1)
  })
})
