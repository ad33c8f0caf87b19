import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { startConsole } from '../../support/console.ts'
import { signed } from '../../support/forgeries.ts'
import { accepted, challenges, send, useScene } from '../../support/identity-scene.ts'

describe('a valid token', async () => {
  const scene = await useScene()

  /** Claims as they are accepted, but for these. */
  const sendClaims = (claims: object) => send(scene, signed(scene, { ...scene.claims(), ...claims }))

  it('carries its permissions in two claims, each space separated or a list', async () => {
    accepted(await sendClaims({ scope: 'audit:read agent:read' }))
    accepted(await sendClaims({ scope: ['audit:read', 'agent:read'] }))
    accepted(await sendClaims({ scope: undefined, permissions: ['agent:write', 'agent:read'] }))
    accepted(await sendClaims({ scope: undefined, permissions: 'agent:write agent:read' }))
    accepted(await sendClaims({ scope: 'audit:read', permissions: ['agent:read', 7, null] }))
  })

  const powerless: Record<string, object> = {
    'no permission claim': { scope: undefined },
    'an empty scope': { scope: '' },
    'other permissions': { scope: 'agent:write audit:read', permissions: ['agent:delete'] },
    'a longer name': { scope: 'agent:readonly xagent:read' },
    'other letters': { scope: 'AGENT:READ' },
    'commas in the scope': { scope: 'agent:write,agent:read' },
    'two names in one entry of a list': { scope: ['agent:write agent:read'] },
    'an object in place of a list': { scope: { 'agent:read': true } },
    'a list of lists': { scope: undefined, permissions: [['agent:read']] },
  }
  for (const [rule, claims] of Object.entries(powerless)) {
    it(`with ${rule} is refused by the name of the missing permission`, async () => {
      const reply = await sendClaims(claims)
      assert.equal(reply.status, 403)
      const detail = 'This operation needs the permission agent:read.'
      assert.deepEqual(reply.body, { detail, code: 'permission_missing' })
      challenges(reply, ', error="insufficient_scope", scope="agent:read"')
    })
  }

  it('without a team, or without a user, may do nothing', async () => {
    for (const team_id of [undefined, null, '', 7, [], [7, null, ['x']], { id: randomUUID() }, '\ud800']) {
      const reply = await sendClaims({ team_id })
      assert.equal(reply.status, 403)
      assert.deepEqual(reply.body, {
        detail:
          'The token has no team. Use a token with a team, or ask the operator to check AUTH_CLAIM_TEAM.',
        code: 'team_missing',
      })
    }
    for (const sub of [undefined, '', 7, [randomUUID()], '\udfff']) {
      const reply = await sendClaims({ sub })
      assert.equal(reply.status, 403)
      assert.deepEqual(reply.body, {
        detail:
          'The token has no user. Use a token with a user, or ask the operator to check AUTH_CLAIM_USER.',
        code: 'user_missing',
      })
    }
  })
})

it('the names of the claims are configurable, and the usual ones then mean nothing', async (t) => {
  const running = await startConsole({
    environment: {
      AUTH_CLAIM_USER: 'uid',
      AUTH_CLAIM_TEAM: 'https://claims.test/team',
      AUTH_CLAIM_SCOPE: 'scp',
      AUTH_CLAIM_PERMISSIONS: 'roles',
    },
  })
  t.after(() => running.close())
  const { issuer, request } = running
  const exp = Math.floor(Date.now() / 1_000) + 60
  const sign = (claims: object) => issuer.sign({ iss: issuer.url, aud: issuer.audience, exp, ...claims })
  const [uid, team] = [randomUUID(), randomUUID()]
  const ours = { uid, 'https://claims.test/team': team }
  const json = { agent_name: 'A', model_name: 'm' }
  const usual = { sub: uid, team_id: team, scope: 'agent:write', permissions: ['agent:write'] }
  const create = async (claims: object) =>
    request('POST', '/v1/agent-configurations', { token: await sign(claims), json })

  for (const power of [{ scp: 'agent:write' }, { roles: ['agent:write'] }]) {
    const created = await create({ ...ours, ...power })
    assert.equal(created.status, 201)
    assert.deepEqual([created.body.created_by, created.body.team_id], [uid, team])
    assert.equal((await create({ ...usual, ...power })).body.code, 'team_missing')
  }
  assert.equal((await create({ ...usual, ...ours })).body.code, 'permission_missing')
})
