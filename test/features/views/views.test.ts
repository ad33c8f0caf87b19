import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AgentListQuery } from '../../../src/features/list/schema.ts'
import { MAX_VIEWS, type SavedView } from '../../../src/features/views/views.ts'
import { codeOf } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'

describe('saved views', async () => {
  const running = await useConsole()
  const content = { query: 'statuses=active&q=invoice', columns: ['agent_name', 'latest_evaluation.current'] }

  const save = (by: Person, name: string, json: object = content, headers = {}) =>
    running.request<SavedView>('PUT', `/v1/views/${name}`, { token: by.token, json, headers })
  const read = (by: Person, name: string) =>
    running.request<SavedView>('GET', `/v1/views/${name}`, { token: by.token })
  const remove = (by: Person, name: string, headers = {}) =>
    running.request('DELETE', `/v1/views/${name}`, { token: by.token, headers })
  const list = async (by: Person): Promise<[string, string][]> => {
    const { body } = await running.request('GET', '/v1/views', { token: by.token })
    return body.results.map(({ scope, name }: SavedView) => [scope, name])
  }
  const auditOf = async (by: Person) => {
    const { body } = await running.request('GET', '/v1/audit-events', { token: by.token })
    return body.results
  }

  it('are saved, read, replaced and deleted', async () => {
    const person = await running.person()
    const from = Math.floor(Date.now() / 1_000)
    const reply = await save(person, 'mine')
    assert.equal(reply.status, 200, reply.text)
    const { updated_at, ...rest } = reply.body
    assert.deepEqual(rest, { name: 'mine', scope: 'user', ...content, updated_by: person.user })
    assert.ok(updated_at >= from)
    assert.equal((await read(person, 'mine')).text, reply.text)
    assert.deepEqual((await save(person, 'mine', { query: '', columns: [] })).body.columns, [])
    assert.equal((await read(person, 'mine')).body.query, '')
    assert.equal((await remove(person, 'mine')).status, 204)
    for (const gone of [await read(person, 'mine'), await remove(person, 'mine')]) {
      assert.deepEqual([gone.status, codeOf(gone)], [404, 'view_not_found'])
    }
  })

  it('of a user are seen by no one else, those of the team by all its members and by no other team', async () => {
    const one = await running.person()
    const member = await running.person({ team: one.team })
    const inOtherTeam = await running.person({ user: one.user })
    const stranger = await running.person()
    await save(one, 'b')
    await save(one, 'same')
    await save(one, 'same?scope=team', { query: 'q=team', columns: [] })
    await save(member, 'a?scope=team')
    await save(stranger, 'foreign?scope=team')
    assert.deepEqual(await list(one), [
      ['user', 'b'],
      ['user', 'same'],
      ['team', 'a'],
      ['team', 'same'],
    ])
    assert.deepEqual(await list(member), [
      ['team', 'a'],
      ['team', 'same'],
    ])
    assert.deepEqual(await list(inOtherTeam), [])
    assert.equal((await read(one, 'same')).body.query, content.query)
    assert.equal((await read(member, 'same?scope=team')).body.query, 'q=team')
    assert.equal((await read(member, 'same')).status, 404)
    for (const by of [stranger, inOtherTeam]) {
      assert.equal((await read(by, 'same?scope=team')).status, 404)
      assert.equal((await remove(by, 'same?scope=team')).status, 404)
      assert.equal((await remove(by, 'b')).status, 404)
    }
    await save(stranger, 'same?scope=team', { query: 'q=other', columns: [] })
    assert.equal((await read(one, 'same?scope=team')).body.query, 'q=team')
    assert.equal((await remove(one, 'same')).status, 204)
    assert.equal((await read(one, 'same?scope=team')).status, 200, 'one scope does not touch the other')
  })

  it('of the team are changed with agent:write only, and the audit log says by whom', async () => {
    const writer = await running.person()
    const reader = await running.person({ team: writer.team, scope: 'agent:read' })
    assert.equal((await save(reader, 'mine')).status, 200)
    await save(writer, 'mine')
    await remove(writer, 'mine')
    assert.deepEqual(await auditOf(writer), [], 'a view of a user concerns nobody else')
    await save(writer, 'ours?scope=team', content, { 'console-change-reason': 'for the weekly review' })
    const refused = [await save(reader, 'ours?scope=team'), await remove(reader, 'ours?scope=team')]
    for (const reply of refused) {
      assert.deepEqual([reply.status, codeOf(reply)], [403, 'permission_missing'])
      assert.match(reply.headers.get('www-authenticate') ?? '', /scope="agent:write"/)
    }
    await remove(writer, 'ours?scope=team')
    const events = await auditOf(writer)
    const shown = events.map(({ action, user_id, agent_id, detail, reason }: Record<string, unknown>) => ({
      ...{ action, user_id, agent_id, detail, reason },
    }))
    const common = { user_id: writer.user, agent_id: null }
    assert.deepEqual(shown[0], { action: 'view_deleted', ...common, detail: { view: 'ours' }, reason: null })
    assert.deepEqual(shown.at(-1), {
      action: 'view_saved',
      ...common,
      detail: { view: 'ours', reason: 'for the weekly review' },
      reason: 'for the weekly review',
    })
    assert.deepEqual(
      events.slice(1, -1).map(({ action }: { action: string }) => action),
      ['permission_refused', 'permission_refused'],
    )
  })

  it(`are at most ${MAX_VIEWS} of a user, and as many of the team`, async () => {
    const person = await running.person()
    for (let n = 0; n < MAX_VIEWS; n++) assert.equal((await save(person, `v${n}`)).status, 200)
    const reply = await save(person, 'one-more')
    assert.deepEqual([reply.status, codeOf(reply)], [409, 'too_many_views'])
    assert.equal(
      (await save(person, 'v7', { query: 'q=x', columns: [] })).status,
      200,
      'a change is no new one',
    )
    assert.equal((await save(person, 'ours?scope=team')).status, 200)
    await remove(person, 'v7')
    assert.equal((await save(person, 'one-more')).status, 200)
  })

  it('take names of every language, but none that a path cannot carry or that looks like a credential', async () => {
    const person = await running.person()
    for (const name of [
      'Rückstände, 100 % 日本語 🙂',
      'a.b',
      "it's",
      '{x}',
      '__proto__',
      'constructor',
      '%',
    ]) {
      const reply = await save(person, encodeURIComponent(name))
      assert.deepEqual([reply.status, reply.body.name], [200, name], name)
      assert.equal((await read(person, encodeURIComponent(name))).body.name, name)
    }
    const credential = 'sk-proj-0123456789abcdefghij'
    const unshowable = ['a\u0085', 'a\u2028b', 'a\u202egpj', '\u2066a'].map(encodeURIComponent)
    for (const name of [
      ...['%2F', 'a%2Fb', '.hidden', '%20a', 'a%00', 'a%0A', 'x'.repeat(101), credential],
      ...unshowable,
    ]) {
      const reply = await save(person, name)
      assert.equal(reply.status, 422, `${name}: ${reply.text}`)
    }
    assert.equal((await list(person)).length, 7)
  })

  it('take every parameter of the list but the cursor, and no other', async () => {
    const person = await running.person()
    for (const name of Object.keys(AgentListQuery.properties)) {
      const reply = await save(person, 'v', { query: `${name}=1`, columns: [] })
      assert.equal(reply.status, name === 'cursor' ? 422 : 200, name)
    }
    for (const [json, loc] of [
      [{ query: '?q=x', columns: [] }, ['body', 'query']],
      [{ query: 'status=active', columns: [] }, ['body', 'query']],
      [{ query: `q=${'x'.repeat(4_000)}`, columns: [] }, ['body', 'query']],
      [{ query: '', columns: ['Agent Name'] }, ['body', 'columns', 0]],
      [{ query: '', columns: Array.from({ length: 51 }, () => 'a') }, ['body', 'columns']],
      [{ query: '' }, ['body', 'columns']],
    ] as const) {
      const reply = await running.request('PUT', '/v1/views/w', { token: person.token, json })
      assert.equal(reply.status, 422)
      assert.deepEqual(reply.body.detail[0].loc, loc)
    }
  })
})
