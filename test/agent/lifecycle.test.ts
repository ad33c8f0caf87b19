import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

const STAGES = ['registered', 'tested', 'hardened', 'trusted', 'optimized', 'adapted']
const TRUSTED = STAGES.slice(3)

describe('the trust stage of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const move = (id: string, json: unknown, headers: Record<string, string> = {}, token = person.token) =>
    running.request<Agent>('PUT', `${COLLECTION}/${id}/lifecycle`, { token, json, headers })
  const get = async (path: string) =>
    (await running.request('GET', `${COLLECTION}/${path}`, { token: person.token })).body
  const age = (id: string, seconds: number) =>
    running.database.query('UPDATE agents SET created_at = created_at - $2 WHERE id = $1', [id, seconds])

  it('moves from any stage to any other, each move a revision with its event', async () => {
    const { id } = await createAgent(running, person)
    let revision = 1
    const names: string[] = []
    for (const from of STAGES) {
      for (const to of STAGES.filter((stage) => stage !== from)) {
        for (const stage of [from, to]) {
          const reply = await move(id, { trust_stage: stage })
          assert.equal(reply.status, 200, reply.text)
          assert.equal(reply.body.trust_stage, stage)
          if (names.at(-1) !== stage && !(names.length === 0 && stage === 'registered')) {
            names.push(stage)
            revision++
          }
          assert.equal(reply.headers.get('etag'), `"${revision}"`)
        }
      }
    }
    const events = await running.database.query(
      'SELECT id, type FROM outbox WHERE aggregateid = $1 AND revision > 1 ORDER BY revision',
      [id],
    )
    assert.deepEqual(
      events,
      names.map((_, index) => ({ id: `${id}:${index + 2}`, type: 'trust_stage_changed' })),
    )
  })

  it('that is the one it has changes nothing and makes no revision, whatever the reason', async () => {
    const { id } = await createAgent(running, person)
    await move(id, { trust_stage: 'tested' })
    const before = await getAgent(running, person, id)
    const reply = await move(id, { trust_stage: 'tested', reason: 'again' })
    assert.equal(reply.text, before.text)
    assert.equal(reply.headers.get('etag'), '"2"')
    assert.equal((await get(`${id}/revisions`)).results.length, 2)
  })

  it('is kept in the history with who moved it and why', async () => {
    const { id } = await createAgent(running, person)
    const other = await running.person({ team: person.team })
    const reason = 'r'.repeat(2_000)
    const moved = await move(id, { trust_stage: 'tested', reason }, {}, other.token)
    await move(id, { trust_stage: 'registered', reason: null })
    const [back, there] = (await get(`${id}/revisions`)).results
    assert.equal(back.reason, null)
    assert.deepEqual(there, {
      revision: 2,
      action: 'trust_stage_changed',
      changed_at: moved.body.updated_at,
      changed_by: other.user,
      changed_by_name: null,
      fields: ['trust_stage'],
      restored_revision: null,
      reason,
      redacted: [],
    })
  })

  for (const stage of TRUSTED) {
    it(`tells at the first arrival at ${stage} when and how fast trust was earned, once`, async () => {
      const { id } = await createAgent(running, person)
      await age(id, 216_432)
      const first = (await move(id, { trust_stage: stage })).body
      assert.equal(first.trusted_at, first.updated_at)
      const days = (first.trusted_at - first.created_at) / 86_400
      assert.equal(first.ttt_days, Math.round(days * 100) / 100)
      assert.ok([2.5, 2.51].includes(first.ttt_days), String(first.ttt_days))
      await age(id, 86_400)
      for (const later of ['registered', ...TRUSTED, 'hardened', stage]) {
        const { body } = await move(id, { trust_stage: later })
        assert.equal(body.trusted_at, first.trusted_at)
        assert.equal(body.ttt_days, first.ttt_days)
      }
      const fields = (await get(`${id}/revisions`)).results.map(({ fields }: { fields: string[] }) => fields)
      assert.deepEqual(fields.at(-2), ['trust_stage', 'trusted_at', 'ttt_days'])
      assert.deepEqual(fields.at(-3), ['trust_stage'])
    })
  }

  it('before trust has neither the one nor the other', async () => {
    const { id } = await createAgent(running, person)
    for (const stage of ['tested', 'hardened', 'registered']) {
      const { body } = await move(id, { trust_stage: stage })
      assert.deepEqual([body.trusted_at, body.ttt_days], [null, null])
    }
  })

  it('is shown by an old revision as it was then, and by a diff', async () => {
    const { id } = await createAgent(running, person)
    const states = [(await getAgent(running, person, id)).text]
    for (const change of ['tested', 'purpose', 'trusted', 'registered', 'adapted']) {
      if (change === 'purpose') await putAgent(running, person, id, { purpose: 'p' })
      else await move(id, { trust_stage: change })
      states.push((await getAgent(running, person, id)).text)
    }
    for (const [index, state] of states.entries()) {
      assert.deepEqual(await get(`${id}/revisions/${index + 1}`), JSON.parse(state), `revision ${index + 1}`)
    }
    const { changes } = await get(`${id}/revisions/4/diff`)
    assert.deepEqual(
      changes.map(({ field }: { field: string }) => field),
      ['trust_stage', 'trusted_at', 'ttt_days'],
    )
  })

  it('is not restored: a restore leaves all three fields as they are', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a' })
    await putAgent(running, person, id, { purpose: 'b' })
    const { body: trusted } = await move(id, { trust_stage: 'optimized' })
    const path = `${COLLECTION}/${id}/revisions/1/restore`
    const { body } = await running.request<Agent>('POST', path, { token: person.token })
    assert.equal(body.purpose, 'a')
    for (const field of ['trust_stage', 'trusted_at', 'ttt_days'] as const) {
      assert.equal(body[field], trusted[field])
    }
    assert.deepEqual((await get(`${id}/revisions?limit=1`)).results[0].fields, ['purpose'])
  })

  it('moves only at the revision If-Match names', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'x' })
    for (const stage of ['tested', 'registered']) {
      const stale = await move(id, { trust_stage: stage }, { 'if-match': '"1"' })
      assert.equal(stale.status, 412)
      assert.equal((stale.body as unknown as { code: string }).code, 'revision_stale')
    }
    assert.equal((await move(id, { trust_stage: 'tested' }, { 'if-match': '"2"' })).status, 200)
  })

  it('needs a permission of its own', async () => {
    const { id } = await createAgent(running, person)
    const scope = 'agent:read agent:write agent:delete evaluation:write'
    const { token } = await running.person({ team: person.team, scope })
    const reply = await running.request('PUT', `${COLLECTION}/${id}/lifecycle`, {
      token,
      json: { trust_stage: 'tested' },
    })
    assert.equal(reply.status, 403)
    assert.match(reply.body.detail, /agent:lifecycle/)
  })

  it('is one of six, with a reason of at most 2,000 characters; other fields are ignored by name', async () => {
    const { id } = await createAgent(running, person)
    for (const [json, loc] of [
      [{}, ['body', 'trust_stage']],
      [{ trust_stage: null }, ['body', 'trust_stage']],
      [{ trust_stage: 'Trusted' }, ['body', 'trust_stage']],
      [{ trust_stage: 'tested', reason: 1 }, ['body', 'reason']],
      [{ trust_stage: 'tested', reason: 'r'.repeat(2_001) }, ['body', 'reason']],
      [{ trust_stage: 'tested', reason: '\0' }, ['body', 'reason']],
      [undefined, ['body']],
    ] as const) {
      const reply = await move(id, json)
      assert.equal(reply.status, 422, reply.text)
      assert.deepEqual((reply.body as unknown as { detail: { loc: string[] }[] }).detail[0]?.loc, loc)
    }
    const reply = await move(id, { trust_stage: 'tested', trusted_at: 1, ttt_days: 0 })
    assert.equal(reply.headers.get('console-ignored-fields'), 'trusted_at, ttt_days')
    assert.deepEqual([reply.body.trusted_at, reply.body.ttt_days], [null, null])
  })

  it('and an update at the same time both survive, each a revision', async () => {
    const { id } = await createAgent(running, person)
    const rounds = 40
    await Promise.all([
      (async () => {
        for (let n = 1; n <= rounds; n++) await move(id, { trust_stage: STAGES[n % STAGES.length] })
      })(),
      (async () => {
        for (let n = 1; n <= rounds; n++) await putAgent(running, person, id, { purpose: String(n) })
      })(),
    ])
    const { body, headers } = await getAgent(running, person, id)
    assert.equal(body.trust_stage, STAGES[rounds % STAGES.length])
    assert.equal(body.purpose, String(rounds))
    assert.equal(headers.get('etag'), `"${1 + 2 * rounds}"`)
    const first = await get(`${id}/revisions/1`)
    assert.deepEqual([first.trust_stage, first.purpose, first.trusted_at], ['registered', null, null])
  })

  it('reaches trust once, however many arrive together', async () => {
    const { id } = await createAgent(running, person)
    await Promise.all(TRUSTED.flatMap((stage) => [1, 2, 3].map(() => move(id, { trust_stage: stage }))))
    const earned = (await get(`${id}/revisions`)).results.filter(({ fields }: { fields: string[] }) =>
      fields.includes('trusted_at'),
    )
    assert.equal(earned.length, 1)
  })
})
