import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MountedCaller, ServiceTokens } from '../../../src/features/services/tokens.ts'

const callerOf = (token: string, teamId = 'team'): MountedCaller => ({
  ...{ token, teamId, userId: 'user', requestId: 'request', permissions: new Set<string>() },
  ...{ name: null, clientId: null, via: 'api' as const },
})

describe('the tokens of a service', () => {
  it('belong to a caller in a team: a token may be good for several teams', async () => {
    let made = 0
    const tokens = new ServiceTokens(
      () => 0,
      async ({ teamId }) => ({ token: `${teamId} ${++made}`, usableUntilMs: 1 }),
    )
    assert.equal(await tokens.tokenFor(callerOf('a', 'one')), 'one 1')
    assert.equal(await tokens.tokenFor(callerOf('a', 'two')), 'two 2')
    assert.equal(await tokens.tokenFor(callerOf('a', 'one')), 'one 1')
  })

  it('take a limited amount of memory', async () => {
    let made = 0
    const tokens = new ServiceTokens(
      () => 0,
      async () => ({ token: String(++made), usableUntilMs: 1 }),
    )
    const long = 'x'.repeat(16_000)
    for (let count = 0; count < 1_000; count++) await tokens.tokenFor(callerOf(`${long}${count}`))
    assert.equal(await tokens.tokenFor(callerOf(`${long}999`)), '1000', 'the last one is kept')
    assert.equal(await tokens.tokenFor(callerOf(`${long}0`)), '1001', 'the first one is not')
  })
})
