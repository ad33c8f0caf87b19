import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { answers, type Process, startConsoleProcess, startProcess } from '../support/processes.ts'
import { slowDownChanges } from '../support/slow-changes.ts'
import { until } from '../support/until.ts'

const AGENTS = 300
/** A process is killed after this many changes. */
const KILLS = [20, 80, 140]

interface Result {
  counts: { changed: number; failed: number }
  results: { id: string; outcome: string; revision: number }[]
}

describe('a bulk request whose process is killed', async () => {
  const running = await startConsoleProcess()
  let current: Process = running
  closeAfter(async () => {
    current.signal('SIGKILL')
    await current.ended
    await running.close()
  })
  const token = await running.token({ scope: 'agent:read agent:write agent:delete' })
  const collection = `${running.url}/v1/agent-configurations`
  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const createAgents = async () => {
    const create = async () => {
      const reply = await post(collection, { agent_name: 'A', model_name: 'm', status: 'draft' })
      return ((await reply.json()) as { id: string }).id
    }
    const ids: string[] = []
    while (ids.length < AGENTS) ids.push(...(await Promise.all(Array.from({ length: 10 }, create))))
    return ids
  }
  const count = async (sql: string, values: unknown[]) =>
    (await running.database.query<{ count: number }>(`SELECT count(*)::int AS count ${sql}`, values))[0]
      ?.count ?? 0

  for (const change of [{ update: { status: 'active' } }, { delete: {} }]) {
    it(`changes each agent once when it is repeated with the same key: ${Object.keys(change)[0]}`, async () => {
      const ids = await createAgents()
      const endSlowChanges = await slowDownChanges(running.database, 0.02)
      const key = randomUUID()
      const repeat = () =>
        // What matches changes with each agent that is done.
        post(
          `${collection}/bulk`,
          { filters: { statuses: ['draft'] }, expected_count: AGENTS, ...change },
          { 'idempotency-key': key },
        )
      for (const changes of KILLS) {
        const broken = repeat().then(
          () => false,
          () => true,
        )
        await until('some agents are changed', async () => {
          const made = await count('FROM bulk_changes WHERE agent_id = ANY ($1)', [ids])
          return made >= changes
        })
        current.signal('SIGKILL')
        await current.ended
        assert.equal(await broken, true, 'the request was in progress')
        current = startProcess('src/main.ts', running.environment)
        await answers(`${running.url}/health/live`, current)
      }
      await endSlowChanges()
      const changedBefore = await count('FROM bulk_changes WHERE agent_id = ANY ($1)', [ids])
      assert.ok(changedBefore < AGENTS, `${changedBefore} agents were changed before the last repetition`)
      const reply = await repeat()
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      const { counts, results } = JSON.parse(text) as Result
      assert.deepEqual([counts.changed, counts.failed], [AGENTS, 0])
      assert.deepEqual(
        results.map(({ id }) => id),
        ids.toSorted(),
      )
      assert.ok(results.every(({ revision }) => revision === 2))
      for (const table of [
        'agent_revisions WHERE agent_id',
        'outbox WHERE aggregateid',
        'audit_events WHERE agent_id',
      ]) {
        const rows = await count(`FROM ${table} = ANY ($1)`, [ids])
        assert.equal(rows, 2 * AGENTS, table)
      }
      assert.equal(await (await repeat()).text(), text)
    })
  }
})
