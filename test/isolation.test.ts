import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAgent, getAgent } from './support/agents.ts'
import { useConsole } from './support/console.ts'
import { nameAfter, OPERATIONS_BY_ID, OPERATIONS_WITHOUT_ID, type TryWithId } from './support/isolation.ts'

describe('a team never sees or touches what is another’s', async () => {
  const running = await useConsole()
  const owner = await running.person()
  const otherTeam = await running.person()
  const agent = await createAgent(running, owner, {
    ...{ api_key: 'sk-of-the-owner-0123456789', protocol: 'a2a', agent_url: 'https://agents.example.com' },
  })
  await nameAfter(running, owner, agent.id)

  const routes = [...running.app.methodsByPath].flatMap(([path, methods]) =>
    [...methods].map((method) => ({ method, path, key: `${method.replace('HEAD', 'GET')} ${path}` })),
  )
  const hasOnlyId = (path: string) => path.match(/:\w+/g)?.join() === ':id'
  const cases = routes.flatMap(({ method, path, key }) => {
    const withId: TryWithId = (id) => ({ path: path.replace(':id', id) })
    const at = OPERATIONS_BY_ID[key] ?? (hasOnlyId(path) ? withId : undefined)
    return at ? [{ method, key, operation: `${method} ${path}`, at }] : []
  })

  it('and every route of the server is among the cases', () => {
    const listed = [...Object.keys(OPERATIONS_BY_ID), ...Object.keys(OPERATIONS_WITHOUT_ID)]
    const covered = [...listed, ...cases.map(({ key }) => key)]
    const missing = routes.filter(({ key }) => !covered.includes(key)).map(({ key }) => key)
    assert.deepEqual(missing, [], `Add to test/support/isolation.ts: ${missing.join(', ')}`)
    const removed = listed.filter((listedKey) => !routes.some(({ key }) => key === listedKey))
    assert.deepEqual(removed, [], `Remove from test/support/isolation.ts: ${removed.join(', ')}`)
    assert.equal(new Set(listed).size, listed.length, 'test/support/isolation.ts lists a route twice')
  })

  for (const { method, operation, at } of cases) {
    it(`${operation}: another team's id and a random one get the same 404, byte for byte`, async () => {
      const before = await getAgent(running, owner, agent.id)
      const answers = await Promise.all(
        [agent.id, randomUUID()].map((id) => {
          const { path, options } = at(id)
          return running.request(method, path, {
            ...options,
            token: otherTeam.token,
            headers: { 'x-request-id': 'same' },
          })
        }),
      )
      const [foreign, random] = answers.map(({ status, headers, text }) => {
        const { date: _, ...comparable } = Object.fromEntries(headers)
        return { status, headers: comparable, text }
      })
      assert.equal(foreign?.status, 404, 'An operation with a body needs it in test/support/isolation.ts.')
      assert.deepEqual(foreign, random)
      const after = await getAgent(running, owner, agent.id)
      assert.deepEqual([after.text, after.headers.get('etag')], [before.text, before.headers.get('etag')])
    })

    // Otherwise there would be nothing that the other team could have found.
    if (method === 'GET') {
      it(`${operation}: the owner gets what the other team does not`, async () => {
        const reply = await running.request(method, at(agent.id).path, owner)
        assert.equal(reply.status, 200, reply.text)
      })
    }
  }

  it('nothing of the owner is gone', async () => {
    const read = (path: string) => running.request('GET', path, owner)
    assert.equal((await read(`/v1/views/${agent.id}?scope=team`)).status, 200)
    const { body } = await read('/v1/configuration-sets/theirs/agents')
    assert.deepEqual(
      body.results.map(({ key }: { key: string }) => key),
      [agent.id],
    )
  })

  it('a new agent belongs to the team of the token, whatever the body says', async () => {
    const created = await createAgent(running, otherTeam, { team_id: owner.team, id: agent.id })
    assert.equal(created.team_id, otherTeam.team)
    assert.notEqual(created.id, agent.id)
    assert.equal((await getAgent(running, owner, created.id)).status, 404)
  })
})
