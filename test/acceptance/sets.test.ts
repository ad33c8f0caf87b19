import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { answers, type Process, startConsoleProcess, startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

const AGENTS = 120
/** The process is killed after this many agents. */
const KILLED_AFTER = 40
const AT_ONCE = 8

describe('a configuration set whose console is killed', async () => {
  const running = await startConsoleProcess()
  let current: Process = running
  closeAfter(async () => {
    current.signal('SIGKILL')
    await current.ended
    await running.close()
  })
  const token = await running.token({ scope: 'agent:read agent:write' })
  const apply = async (key: string, spec: object): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`${running.url}/v1/configuration-sets/files/agents/${key}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ spec }),
    })
    return { status: reply.status, text: await reply.text() }
  }
  const count = async (sql: string) =>
    (await running.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`))[0]
      ?.count ?? 0

  /** Applies all agents, a few at a time. Returns whether all requests got a response. */
  const applyAll = async (specOf: (n: number) => object): Promise<boolean> => {
    const numbers = Iterator.from(Array.from({ length: AGENTS }, (_, n) => n))
    let isComplete = true
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const n of numbers) {
          const reply = await apply(`agent-${n}`, specOf(n)).catch(() => undefined)
          if (!reply) isComplete = false
          else assert.ok(reply.status < 300, reply.text)
        }
      }),
    )
    return isComplete
  }

  const revised = (revision: number) => `agent_revisions WHERE revision = ${revision}`
  for (const [revision, specOf] of [
    [1, (n: number) => ({ agent_name: `Agent ${n}`, model_name: 'm', purpose: 'first' })],
    [2, (n: number) => ({ agent_name: `Agent ${n}`, model_name: 'm', skills: [{ id: 's', name: 'S' }] })],
  ] as const) {
    it(`ends in the same state when all is applied again: revision ${revision}`, async () => {
      const broken = applyAll(specOf)
      await until('some agents are applied', async () => (await count(revised(revision))) >= KILLED_AFTER)
      current.signal('SIGKILL')
      await current.ended
      assert.equal(await broken, false, 'requests were in progress')
      current = startProcess('src/main.ts', running.environment)
      await answers(`${running.url}/health/live`, current)
      assert.ok((await count(revised(revision))) < AGENTS)
      assert.equal(await applyAll(specOf), true)
      const expected: [string, number][] = [
        ['agents', AGENTS],
        ['managed_agents', AGENTS],
        [
          'managed_agents m JOIN agents a ON a.id = m.agent_id AND a.revision = m.applied_revision ' +
            `WHERE a.agent_name = 'Agent ' || substr(m.key, 7) AND m.drift = '{}' AND a.revision = ${revision}`,
          AGENTS,
        ],
        ['agent_revisions', revision * AGENTS],
        ['outbox', revision * AGENTS],
        [`audit_events WHERE via = 'set'`, revision * AGENTS],
      ]
      for (const [rows, number] of expected) assert.equal(await count(rows), number, rows)
      assert.equal(
        await count(
          `agents WHERE ${revision === 1 ? `purpose = 'first'` : `purpose IS NULL AND skills::text LIKE '%S%'`}`,
        ),
        AGENTS,
      )
    })
  }
})
