import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Behind } from '../../support/behind.ts'
import { FORGERIES, signed, WRONG_CLAIMS, withClaims } from '../../support/forgeries.ts'
import { refused, setScene } from '../../support/identity-scene.ts'
import { operation, useMounted } from '../../support/mounted.ts'

describe('a mounted operation is refused', async () => {
  const clock = { ms: Math.floor(Date.now() / 1_000) * 1_000 }
  const mounted = await useMounted({
    overrides: { now: () => clock.ms },
    operations: [operation(), operation({ method: 'POST' })],
  })
  const behind = mounted.behind['things'] as Behind
  const scene = await setScene(mounted.running, clock)

  const send = (token: string | null, headers: Record<string, string> = {}) =>
    mounted.running.request('POST', '/v1/things/7', { token, headers, raw: '{broken' })

  it('without a token, and before a byte of the body is read', async () => {
    refused(
      await send(null),
      'The request has no usable token. Send exactly one header Authorization: Bearer <JWT>.',
      'unauthenticated',
    )
    refused(
      await send(null, { authorization: 'Basic x' }),
      'The request has no usable token. Send exactly one header Authorization: Bearer <JWT>.',
      'unauthenticated',
    )
  })
  for (const [rule, forge] of Object.entries(FORGERIES)) {
    it(`with ${rule}`, async () => refused(await send(forge(scene, 'http://attacker.test'))))
  }
  for (const [rule, wrong] of Object.entries(WRONG_CLAIMS)) {
    it(`with ${rule}`, async () => refused(await send(withClaims(scene, wrong)), wrong.detail))
  }
  it('before the service receives anything', () => assert.deepEqual(behind.asked, []))

  it('without a team or a user', async () => {
    for (const [claim, code] of [
      ['team_id', 'team_missing'],
      ['sub', 'user_missing'],
    ] as const) {
      const reply = await send(signed(scene, { ...scene.claims(), [claim]: undefined }))
      assert.deepEqual([reply.status, reply.body.code], [403, code])
    }
    assert.deepEqual(behind.asked, [])
  })

  it('unless the token is valid, whatever its permissions', async () => {
    const { scope: _, ...claims } = scene.claims()
    assert.equal((await send(signed(scene, claims))).status, 200)
    assert.equal(behind.asked.length, 1)
  })
})
