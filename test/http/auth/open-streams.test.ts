import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createEndWithToken } from '../../../src/http/auth/identity.ts'

const START_S = 2_000_000_000
const CHECK_MS = 1_000

describe('the tokens of open streams', () => {
  let invalid: Set<string>
  let verified: string[]
  let ended: string[]
  let endWithToken: ReturnType<typeof createEndWithToken>

  beforeEach(() => {
    invalid = new Set()
    verified = []
    ended = []
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: START_S * 1_000 })
    endWithToken = createEndWithToken(
      async (token) => {
        verified.push(token)
        if (invalid.has(token)) throw new Error('invalid')
      },
      () => Date.now(),
    )
  })

  afterEach(() => mock.timers.reset())

  const open = (name: string, token: string, lifetimeS = 3_600) =>
    endWithToken(token, START_S + lifetimeS, () => ended.push(name))
  /** Moves the clock, and lets the checks finish. */
  const pass = async (ms: number) => {
    mock.timers.tick(ms)
    await setImmediate()
  }

  it('end a stream when its token expires, and not before or again', async () => {
    open('a', 'token', 60)
    await pass(59_999)
    assert.deepEqual(ended, [])
    await pass(1)
    assert.deepEqual(ended, ['a'])
    await pass(60_000)
    assert.deepEqual(ended, ['a'])
  })

  it('end all streams of a token that is no longer valid, each once, and no other', async () => {
    const end = () => ended.push('shared')
    endWithToken('bad', START_S + 60, end)
    endWithToken('bad', START_S + 60, end)
    open('other', 'good', 60)
    await pass(CHECK_MS)
    assert.deepEqual(ended, [])
    invalid.add('bad')
    await pass(CHECK_MS)
    assert.deepEqual(ended, ['shared', 'shared'])
    await pass(57_000)
    assert.deepEqual(ended, ['shared', 'shared'])
  })

  it('are verified once a second each, and not at all while no stream is open', async () => {
    const releases = [open('a', 'one'), open('b', 'one'), open('c', 'two')]
    await pass(CHECK_MS)
    assert.deepEqual(verified, ['one', 'two'])
    for (const release of releases) release()
    await pass(CHECK_MS / 2)
    // A timer that was left over would check after half a second.
    open('d', 'three')
    await pass(CHECK_MS - 1)
    assert.deepEqual(verified, ['one', 'two'])
    await pass(1)
    assert.deepEqual(verified, ['one', 'two', 'three'])
  })

  it('end no stream that has ended by itself', async () => {
    const release = open('a', 'token', 60)
    open('b', 'token', 60)
    release()
    invalid.add('token')
    await pass(CHECK_MS)
    assert.deepEqual(ended, ['b'])
    await pass(60_000)
    assert.deepEqual(ended, ['b'])
  })
})
