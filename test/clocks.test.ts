import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { newId } from '../src/api/uuid.ts'
import { COLLECTION } from './support/agents.ts'
import type { Reply } from './support/console.ts'
import { useConsoleWithNats } from './support/console-with-nats.ts'
import { createTestDatabase } from './support/database.ts'
import { allGrants } from './support/grants.ts'
import { until } from './support/until.ts'
import { canBeWatched, watch } from './support/watching.ts'

const TEN_MINUTES_MS = 600_000

for (const [how, offMs] of [
  ['ahead of', TEN_MINUTES_MS],
  ['behind', -TEN_MINUTES_MS],
] as const) {
  describe(`a console whose clock is ten minutes ${how} that of PostgreSQL`, async () => {
    const database = await createTestDatabase()
    const role = `console_clocks_${randomUUID().slice(0, 8)}`
    await database.query(`CREATE ROLE ${role} LOGIN; ${allGrants(role)}`)
    const now = () => Date.now() + offMs
    const { running, nats } = await useConsoleWithNats({
      environment: { DATABASE_URL: Object.assign(new URL(database.url), { username: role }).toString() },
      overrides: { now, newId: (atMs = now()) => newId(atMs) },
    })
    after(async () => {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
      await database.drop()
    })
    const { core } = running
    const { team, token } = await running.person()
    const nowSeconds = () => Math.floor(now() / 1_000)

    const send = async <Body>(method: string, path: string, json?: object, status = 200): Promise<Body> => {
      const reply: Reply<Body> = await running.request(method, path, { token, ...(json && { json }) })
      assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`)
      return reply.body
    }
    const create = (fields: object = {}) =>
      send<{ id: string; created_at: number }>(
        'POST',
        COLLECTION,
        { agent_name: 'Agent', model_name: 'model', ...fields },
        201,
      )
    const actions = async (id: string) => {
      const { results } = await send<{ results: { action: string }[] }>(
        'GET',
        `/v1/audit-events?agent_id=${id}`,
      )
      return results.map(({ action }) => action).toReversed()
    }

    it('creates, updates, lists, restores and evaluates an agent, and moves its trust stage', async () => {
      const { id, created_at: createdAt } = await create({ purpose: 'first' })
      const path = `${COLLECTION}/${id}`
      assert.ok(Math.abs(createdAt - nowSeconds()) < 60)
      await send('PUT', path, { purpose: 'second' })
      await send('GET', `${COLLECTION}?q=agent&include_count=true&sort=agent_name`)
      await send('GET', `${COLLECTION}/facets`)
      await send('GET', `${path}/revisions/1`)
      await send('POST', `${path}/revisions/1/restore`, {})
      await send('PUT', `${path}/lifecycle`, { trust_stage: 'trusted' })
      // The evaluation service has the clock of PostgreSQL.
      const completedAt = Math.floor(Date.now() / 1_000)
      const evaluation = { evaluation_id: randomUUID(), overall_score: 0.5, revision: 3 }
      await send('PUT', `${path}/latest-evaluation`, { ...evaluation, completed_at: completedAt })
      await send('GET', `${path}/evaluations`)
      await send('POST', `${path}/revisions/2/redact`, { fields: ['purpose'], reason: 'a mistake' }, 204)
      assert.deepEqual(await actions(id), [
        'agent_created',
        'agent_updated',
        'agent_restored',
        'agent_trust_stage_changed',
        'agent_evaluation_recorded',
        'agent_revision_redacted',
      ])
    })

    it('writes, reads and removes secrets', async () => {
      const { id } = await create({ api_key: 'sk-first' })
      const path = `${COLLECTION}/${id}`
      await send('PUT', path, { api_key: 'sk-second' })
      await send('PUT', `${path}/secrets/crm`, { value: 'named' })
      const secrets = await send<{ api_key: string }>('GET', `${path}/secrets`)
      assert.equal(secrets.api_key, 'sk-second')
      await send('DELETE', `${path}/secrets/crm`, undefined, 204)
    })

    it('deletes and recovers an agent, and erases it in the background', async () => {
      const { id } = await create()
      const path = `${COLLECTION}/${id}`
      await send('DELETE', path, undefined, 204)
      await send('POST', `${path}/recover`)
      await send('DELETE', `${path}?erase=true`, undefined, 204)
      const steps = running.app.backgroundSteps
      for (const { name, run, commitsEachStatement } of steps) {
        const statements = core.database.system
        const step = () =>
          commitsEachStatement
            ? run(statements, nowSeconds() + 1)
            : statements.transaction((each) => run(each, nowSeconds() + 1))
        while (await step()) assert.equal(name, 'deleted_agents')
      }
      const left = await database.query('SELECT FROM agent_revisions WHERE agent_id = $1', [id])
      assert.equal(left.length, 0)
      await send('POST', `${path}/recover`, undefined, 404)
    })

    it('changes agents by sets, bulk requests and imports', async () => {
      const { id } = await create()
      const managed = '/v1/configuration-sets/payments/agents/helper'
      await send('PUT', managed, { spec: { purpose: 'of the set' }, adopt: id }, 201)
      await send('PUT', `${COLLECTION}/${id}`, { purpose: 'drifted' })
      const drift = await send<{ results: object[] }>('GET', '/v1/configuration-sets/payments/drift')
      assert.equal(drift.results.length, 1)
      await send('DELETE', managed, undefined, 204)
      const bulk = await send<{ results: { outcome: string }[] }>('POST', `${COLLECTION}/bulk`, {
        agents: [{ id }],
        update: { purpose: 'in bulk' },
      })
      assert.deepEqual(
        bulk.results.map(({ outcome }) => outcome),
        ['changed'],
      )
      const row = { external_key: 'row', agent_name: 'Imported', model_name: 'model' }
      for (const action of ['create', 'unchanged']) {
        const path = '/v1/agent-imports?dry_run=false'
        const { results } = await send<{ results: { action: string }[] }>('POST', path, { rows: [row] })
        assert.deepEqual(
          results.map((each) => each.action),
          [action],
        )
      }
    })

    it('records what a person may not do, and exports the audit log', async () => {
      const reader = await running.person({ team, scope: 'agent:read' })
      const refused = await running.request('POST', COLLECTION, { token: reader.token, json: {} })
      assert.equal(refused.status, 403)
      const { results } = await send<{ results: object[] }>(
        'GET',
        '/v1/audit-events?action=permission_refused',
      )
      assert.equal(results.length, 1)
      const reply = await running.request('GET', '/v1/audit-events/export', { token })
      assert.equal(reply.status, 200)
    })

    it('delivers each revision to the stream and to watchers', async (t) => {
      await canBeWatched(running.url, token)
      const watching = await watch(running.url, { token })
      t.after(watching.stop)
      const { id } = await create()
      await send('PUT', `${COLLECTION}/${id}`, { purpose: 'second' })
      await watching.waitFor(2)
      const stored = await nats.readAll()
      const delivered = stored.filter(({ subject }) => subject.endsWith(id)).map(({ messageId }) => messageId)
      assert.deepEqual(delivered, [`${id}:1`, `${id}:2`])
      await until('the outbox is empty', async () => {
        const waiting = await database.query('SELECT FROM outbox')
        return waiting.length === 0
      })
    })
  })
}
