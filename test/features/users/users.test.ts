import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { AgentRevision } from '../../../src/agent/history/schema.ts'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import type { User } from '../../../src/features/users/users.ts'
import { COLLECTION, createAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'
import { namedPerson } from '../../support/named-person.ts'
import { until } from '../../support/until.ts'

describe('the name of a user', async () => {
  const running = await useConsole()

  const usersOf = async ({ token }: Person, ...ids: string[]): Promise<User[]> => {
    const query = ids.map((id) => `ids=${id}`).join('&')
    return (await running.request('GET', `/v1/users?${query}`, { token })).body.results
  }
  const nameOf = async (reader: Person, { user }: Person) => (await usersOf(reader, user))[0]?.name
  const known = (person: Person, name: string) =>
    until(`the name is ${name}`, async () => (await nameOf(person, person)) === name)
  const revisionsOf = async ({ token }: Person, id: string): Promise<AgentRevision[]> =>
    (await running.request('GET', `${COLLECTION}/${id}/revisions`, { token })).body.results
  const eventsOf = async ({ token }: Person): Promise<AuditEvent[]> =>
    (await running.request('GET', '/v1/audit-events', { token })).body.results
  const erase = (by: Person, { user }: Person) =>
    running.request('DELETE', `/v1/users/${user}`, { token: by.token, headers: { 'x-request-id': 'erase' } })

  it('is shown in revisions, in the audit log and in the list of users', async () => {
    const ann = await namedPerson(running, { name: 'Ann Lee', client: 'web' })
    const bob = await namedPerson(running, { name: ' Bob\u0000\nO’Neil ', team: ann.team, client: 'cli' })
    const nameless = await running.person({ team: ann.team })
    const { id } = await createAgent(running, ann)
    await putAgent(running, bob, id, { purpose: 'a' })
    await putAgent(running, nameless, id, { purpose: 'b' })
    await Promise.all([known(ann, 'Ann Lee'), known(bob, 'Bob O’Neil')])
    assert.deepEqual(
      (await revisionsOf(nameless, id)).map(({ changed_by, changed_by_name }) => [
        changed_by,
        changed_by_name,
      ]),
      [
        [nameless.user, null],
        [bob.user, 'Bob O’Neil'],
        [ann.user, 'Ann Lee'],
      ],
    )
    assert.deepEqual(
      (await eventsOf(nameless)).map((event) => [event.changed_by_name, event.via, event.client_id]),
      [
        [null, 'api', `${nameless.user}.${nameless.team}`],
        ['Bob O’Neil', 'api', 'cli'],
        ['Ann Lee', 'api', 'web'],
      ],
    )
    const cal = await namedPerson(running, { name: 'Cal Roe', team: ann.team, client: 'cli' })
    assert.equal((await running.request('GET', `${COLLECTION}/export`, { token: cal.token })).status, 200)
    await known(cal, 'Cal Roe')
    const users = await usersOf(nameless, bob.user, ann.user, bob.user, nameless.user, randomUUID())
    assert.deepEqual(
      users.map(({ user_id, name }) => [user_id, name]),
      [
        [ann.user, 'Ann Lee'],
        [bob.user, 'Bob O’Neil'],
      ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
    for (const { changed_at } of users) assert.ok(Math.abs(changed_at - Date.now() / 1_000) < 600)
  })

  it('is the one of the newest token, everywhere', async () => {
    const before = await namedPerson(running, { name: 'Ann Lee' })
    const { id } = await createAgent(running, before)
    await known(before, 'Ann Lee')
    const after = await namedPerson(running, { ...before, name: 'Ann Smith' })
    await putAgent(running, after, id, { purpose: 'a' })
    await known(before, 'Ann Smith')
    const names = (await revisionsOf(before, id)).map(({ changed_by_name }) => changed_by_name)
    assert.deepEqual(names, ['Ann Smith', 'Ann Smith'])
  })

  it('is stored of users who leave a record in the audit log, and of no others', async () => {
    const owner = await running.person()
    const { id } = await createAgent(running, owner)
    const { team } = owner
    const [reader, secrets, refused, exporter] = await Promise.all(
      ['reader', 'secrets', 'refused', 'exporter'].map((name) =>
        namedPerson(running, { name, team, ...(name === 'refused' && { scope: 'agent:read' }) }),
      ),
    )
    const get = (person: Person | undefined, path: string) =>
      running.request('GET', path, { token: person?.token as string })
    for (const path of [
      COLLECTION,
      `${COLLECTION}/${id}`,
      '/v1/me',
      `${COLLECTION}/${randomUUID()}/secrets`,
    ]) {
      await get(reader, path)
    }
    assert.equal((await get(secrets, `${COLLECTION}/${id}/secrets`)).status, 200)
    assert.equal((await get(refused, `${COLLECTION}/${id}/secrets`)).status, 403)
    assert.equal((await get(exporter, '/v1/audit-events/export')).status, 200)
    for (const person of [secrets, refused, exporter]) {
      await until('the name is stored', async () => (await nameOf(owner, person as Person)) !== undefined)
    }
    assert.equal(await nameOf(owner, reader as Person), undefined)
  })

  it('is of one team: another neither reads nor erases it', async () => {
    const ann = await namedPerson(running, { name: 'Ann Lee' })
    const { id } = await createAgent(running, ann)
    await known(ann, 'Ann Lee')
    const other = await running.person()
    assert.deepEqual(await usersOf(other, ann.user), [])
    assert.equal((await erase(other, ann)).status, 404)
    assert.deepEqual(await eventsOf(other), [])
    assert.equal(await nameOf(ann, ann), 'Ann Lee')

    const elsewhere = await namedPerson(running, { name: 'Annie', user: ann.user, team: other.team })
    const there = await createAgent(running, elsewhere)
    await known(elsewhere, 'Annie')
    assert.equal(await nameOf(ann, ann), 'Ann Lee')
    const shownTo = async (person: Person, agentId: string) =>
      [...(await revisionsOf(person, agentId)), ...(await eventsOf(person))].map((one) => one.changed_by_name)
    assert.deepEqual(await shownTo(ann, id), ['Ann Lee', 'Ann Lee'])
    assert.deepEqual(await shownTo(elsewhere, there.id), ['Annie', 'Annie'])
    assert.equal((await erase(elsewhere, ann)).status, 204)
    assert.equal(await nameOf(ann, ann), 'Ann Lee')
  })

  it('is gone from everywhere once it is erased, with a record of who erased it', async () => {
    const ann = await namedPerson(running, { name: 'Ann Lee' })
    const { id } = await createAgent(running, ann)
    await known(ann, 'Ann Lee')
    const keeper = await running.person({ team: ann.team })
    assert.equal((await erase(keeper, ann)).status, 204)

    assert.deepEqual(await usersOf(keeper, ann.user), [])
    assert.equal((await revisionsOf(keeper, id))[0]?.changed_by_name, null)
    const [event, ...others] = await eventsOf(keeper)
    assert.deepEqual(
      others.map(({ changed_by_name }) => changed_by_name),
      [null],
    )
    const { action, user_id, agent_id, request_id, detail } = event as AuditEvent
    assert.deepEqual(
      [action, user_id, agent_id, request_id, detail],
      ['user_erased', keeper.user, null, 'erase', { user_id: ann.user }],
    )
    const rows = await running.database.query('SELECT FROM users WHERE team_id = $1', [ann.team])
    assert.equal(rows.length, 0)
    const again = await erase(keeper, ann)
    assert.deepEqual([again.status, again.body.code], [404, 'user_not_found'])
    assert.equal((await eventsOf(keeper)).length, 2, 'an erasure of nothing leaves no record')

    // A new name is stored again.
    await createAgent(running, await namedPerson(running, { ...ann, name: 'Ann Smith' }))
    await known(ann, 'Ann Smith')
  })

  it('does not come back with the request of a user who erases it', async () => {
    const ann = await namedPerson(running, { name: 'Ann Lee' })
    // As after a restart: the console does not know yet that the name is stored.
    await running.database.query("INSERT INTO users VALUES ($1, $2, 'Ann Lee', 1)", [ann.team, ann.user])
    const bob = await namedPerson(running, { name: 'Bob', team: ann.team })
    assert.equal((await erase(ann, ann)).status, 204)
    // Names are stored in their order.
    await createAgent(running, bob)
    await known(bob, 'Bob')
    assert.equal(await nameOf(bob, ann), undefined)
  })

  it('is erased with the permission agent:delete, and read with agent:read', async () => {
    const { team, user } = await running.person()
    const send = async (method: string, path: string, scope: string) =>
      (await running.request(method, path, { token: (await running.person({ team, scope })).token })).status
    assert.equal(await send('DELETE', `/v1/users/${user}`, 'agent:read agent:write audit:read'), 403)
    assert.equal(await send('DELETE', `/v1/users/${user}`, 'agent:delete'), 404)
    assert.equal(await send('GET', `/v1/users?ids=${user}`, 'agent:write audit:read'), 403)
    assert.equal(await send('GET', `/v1/users?ids=${user}`, 'agent:read'), 200)
    const refused = (await eventsOf(await running.person({ team }))).filter(
      ({ action }) => action === 'permission_refused',
    )
    assert.deepEqual(
      refused.map(({ agent_id }) => agent_id),
      [null, null],
      'a user is no agent',
    )
  })

  it('is asked for with 1 to 100 ids', async () => {
    const { token } = await running.person()
    const ids = (count: number) => Array.from({ length: count }, () => `ids=${randomUUID()}`).join('&')
    for (const [query, status] of [
      ['', 422],
      ['?ids=x', 422],
      [`?${ids(101)}`, 422],
      [`?${ids(100)}`, 200],
    ] as const) {
      assert.equal((await running.request('GET', `/v1/users${query}`, { token })).status, status, query)
    }
  })

  it('delays no change, even if it cannot be stored', async () => {
    const ann = await namedPerson(running, { name: 'Ann Lee' })
    const session = new Client({ connectionString: running.database.url })
    await session.connect()
    await session.query('BEGIN; LOCK TABLE users IN EXCLUSIVE MODE')
    const { id } = await createAgent(running, ann)
    assert.equal((await putAgent(running, ann, id, { purpose: 'a' })).status, 200)
    assert.equal(await nameOf(ann, ann), undefined)
    await until('the console has tried', () =>
      running.logLines.some((line) => line.includes('cannot store names of users')),
    )
    await session.query('ROLLBACK')
    await session.end()
    await known(ann, 'Ann Lee')
  })
})
