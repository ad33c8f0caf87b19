import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSubjectIds } from '../../../src/http/auth/verified-token.ts'
import { signed } from '../../support/forgeries.ts'
import { accepted, send, useScene } from '../../support/identity-scene.ts'

describe('a token with several teams', async () => {
  const scene = await useScene()
  const { running } = scene
  const toId = createSubjectIds(running.issuer.url)
  const uuid = randomUUID()
  const teams = ['research', 'sales', uuid, 'Zürich']
  const token = signed(scene, { ...scene.claims(), team_id: teams })

  const teamOf = async (sent: string, headers: Record<string, string> = {}) => {
    const { status, body } = await running.request('GET', '/v1/me', { token: sent, headers })
    return status === 200 ? body.team_id : [status, body.code, body.detail]
  }
  const chosen = (team: string) => ({ 'console-team': team })

  it('acts for the one that the header names, by its value or its UUID', async () => {
    assert.equal(await teamOf(token, chosen('research')), toId('research'))
    assert.equal(await teamOf(token, chosen('sales')), toId('sales'))
    assert.equal(await teamOf(token, chosen(toId('Zürich') as string)), toId('Zürich'))
    for (const spelling of [uuid, uuid.toUpperCase(), `{${uuid}}`]) {
      assert.equal(await teamOf(token, chosen(spelling)), uuid)
    }
  })

  it('needs the header, and is told so with a few of its teams', async () => {
    assert.deepEqual(await teamOf(token), [
      403,
      'team_ambiguous',
      `The token has 4 teams. Name one of them in the header console-team: research, sales, ${uuid}, ….`,
    ])
    const unprintable = signed(scene, { ...scene.claims(), team_id: ['Zürich', 'x'.repeat(65)] })
    assert.deepEqual(await teamOf(unprintable), [
      403,
      'team_ambiguous',
      `The token has 2 teams. Name one of them in the header console-team: ${toId('Zürich')}, ${toId('x'.repeat(65))}.`,
    ])
  })

  it('acts for no other team', async () => {
    for (const team of ['', 'Research', 'research, sales', randomUUID(), '__proto__']) {
      assert.deepEqual(await teamOf(token, chosen(team)), [
        403,
        'team_not_yours',
        `The header console-team names none of the teams of the token. Name one of them: research, sales, ${uuid}, ….`,
      ])
    }
  })

  it('keeps the choice of one request from the next, and the teams apart', async () => {
    const json = { agent_name: 'A', model_name: 'm' }
    const create = await running.request('POST', '/v1/agent-configurations', {
      token,
      json,
      headers: chosen('research'),
    })
    assert.deepEqual([create.status, create.body.team_id], [201, toId('research')])
    const path = `/v1/agent-configurations/${create.body.id}`
    const read = (headers: Record<string, string>) => running.request('GET', path, { token, headers })
    const attempts = Array.from(
      { length: 30 },
      (_, i) => [chosen('research'), chosen('sales'), {}][i % 3] ?? {},
    )
    const replies = await Promise.all(attempts.map(read))
    for (const [i, { status }] of replies.entries()) assert.equal(status, [200, 404, 403][i % 3])
  })

  it('needs no header with one team, in a list or twice, and may name it', async () => {
    for (const team_id of [
      'research',
      ['research'],
      ['research', 'research', 7, ''],
      [uuid, uuid.toUpperCase()],
    ]) {
      const one = signed(scene, { ...scene.claims(), team_id })
      const value = [team_id].flat()[0] as string
      assert.equal(await teamOf(one), toId(value))
      assert.equal(await teamOf(one, chosen(value)), toId(value))
      assert.equal(((await teamOf(one, chosen('sales'))) as unknown[])[1], 'team_not_yours')
    }
    const none = signed(scene, { ...scene.claims(), team_id: [] })
    assert.equal(((await teamOf(none, chosen('sales'))) as unknown[])[1], 'team_missing')
  })

  it('may call an operation that needs no team, whatever the header says', async () => {
    const path = `/v1/evolution/status/${randomUUID()}`
    const status = async (headers: Record<string, string>) =>
      (await running.request('GET', path, { token, headers })).status
    const without = await status({})
    assert.notEqual(without, 403)
    assert.equal(await status(chosen('research')), without)
    assert.equal(await status(chosen('green')), without)
  })
})

describe('a machine client', async () => {
  const scene = await useScene()
  const sub = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY@clients'

  it('is a user like any other', async () => {
    const token = signed(scene, { ...scene.claims(), sub, azp: sub.split('@')[0], gty: 'client-credentials' })
    accepted(await send(scene, token))
    const { body } = await scene.running.request('GET', '/v1/me', { token })
    assert.equal(body.user_id, createSubjectIds(scene.running.issuer.url)(sub))
    assert.equal(body.client_id, 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY')
  })
})
