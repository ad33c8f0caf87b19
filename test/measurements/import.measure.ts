import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { IMPORTS } from '../support/imports.ts'
import { startConsoleProcess } from '../support/processes.ts'
import { SLACK } from '../support/timing.ts'

const ROWS = 1_000
const MAX_SECONDS = 20

describe(`an import of ${ROWS} rows`, async () => {
  const running = await startConsoleProcess()
  closeAfter(() => running.close())
  const token = await running.token({ team: randomUUID() })
  const rowsOf = (purpose: string) =>
    Array.from({ length: ROWS }, (_, n) => ({
      ...{ external_key: `key/${n}`, agent_name: `Agent ${n}`, model_name: 'gpt-5.2', purpose },
      ...{ agent_url: `https://agents.example/${n}`, agent_system_prompt: 'x'.repeat(1_500) },
      agent_metadata: { tags: ['imported', `n${n % 10}`] },
    }))
  const send = async (rows: object[], query: string) => {
    const startedAt = performance.now()
    const reply = await fetch(running.url + IMPORTS + query, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        'idempotency-key': randomUUID(),
      },
      body: rows.map((row) => JSON.stringify(row)).join('\n'),
    })
    const body = (await reply.json()) as { counts: Record<string, number> }
    return { seconds: (performance.now() - startedAt) / 1_000, counts: body.counts }
  }

  it(`takes less than ${MAX_SECONDS} s, whatever its rows do`, async (t) => {
    for (const [name, purpose, query, action] of [
      ['dry run of creations', 'first', '?dry_run=true', 'create'],
      ['creations', 'first', '', 'create'],
      ['dry run of updates', 'second', '?dry_run=true', 'update'],
      ['updates', 'second', '', 'update'],
      ['unchanged', 'second', '', 'unchanged'],
    ] as const) {
      const { seconds, counts } = await send(rowsOf(purpose), query)
      t.diagnostic(`${name}: ${seconds.toFixed(2)} s`)
      assert.equal(counts[action], ROWS, name)
      assert.ok(seconds < MAX_SECONDS * SLACK, `${name}: ${seconds} s`)
    }
  })
})
