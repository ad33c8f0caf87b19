import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseSigningKeys, Signer } from '../../src/platform/crypto/signer.ts'
import { closeAfter } from '../support/close-after.ts'
import { startConsoleWithDemos } from '../support/demos.ts'
import { CONSOLE_NAME, signingKey } from '../support/signing.ts'

describe('a demonstration service', async () => {
  const { running, services, close } = await startConsoleWithDemos()
  closeAfter(close)
  const claims = (changes: object = {}) => {
    const now = Math.floor(Date.now() / 1_000)
    return {
      ...{ iss: CONSOLE_NAME, aud: 'teams', sub: randomUUID(), team_id: randomUUID() },
      ...{ iat: now, exp: now + 60, ...changes },
    }
  }
  const send = async (token: string) =>
    (await fetch(`${services.teams.url}/v1/teams`, { headers: { authorization: `Bearer ${token}` } })).status
  const { signer } = running.core

  it('accepts an assertion of the console for itself', async () => {
    assert.equal(await send(await signer.sign(claims(), 'at+jwt')), 200)
  })

  const refused: Record<string, () => Promise<string>> = {
    'an assertion for another service': () => signer.sign(claims({ aud: 'evaluation' }), 'at+jwt'),
    'an assertion of another issuer': () => signer.sign(claims({ iss: running.issuer.url }), 'at+jwt'),
    'an expired assertion': () => signer.sign(claims({ exp: Date.now() / 1_000 - 31 }), 'at+jwt'),
    'an assertion that another key signed': () =>
      new Signer(parseSigningKeys(signingKey())).sign(claims(), 'at+jwt'),
    'the token of a caller': async () => (await running.person()).token,
  }
  for (const [what, make] of Object.entries(refused)) {
    it(`refuses ${what}`, async () => assert.equal(await send(await make()), 401))
  }
})
