import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FORGERIES, signed, WRONG_CLAIMS, withClaims } from '../identity/forgeries.ts'
import { refused, type Scene, setScene } from '../identity/scene.ts'
import type { Behind } from './behind.ts'
import { type Mounted, operation, startMounted } from './mounted.ts'

describe('a mounted operation is reached by nobody', () => {
  let mounted: Mounted
  let behind: Behind
  let scene: Scene

  before(async () => {
    const clock = { ms: Math.floor(Date.now() / 1_000) * 1_000 }
    mounted = await startMounted({
      overrides: { now: () => clock.ms },
      operations: [operation(), operation({ method: 'POST' })],
    })
    behind = mounted.behind['things'] as Behind
    scene = await setScene(mounted.running, clock)
  })
  after(() => mounted.close())

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
  it('of whom the service has heard', () => assert.deepEqual(behind.asked, []))

  it('but by whoever has a valid one, whatever it allows', async () => {
    const { scope: _, team_id: __, ...claims } = scene.claims()
    assert.equal((await send(signed(scene, claims))).status, 200)
    assert.equal(behind.asked.length, 1)
  })
})
