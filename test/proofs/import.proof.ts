import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { IMPORTS } from '../support/imports.ts'
import { answers, type Process, startConsoleProcess, startProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { slowDownChanges } from '../support/slow-changes.ts'
import { until } from '../support/until.ts'

/** An import whose process is killed again and again, and repeated until it is complete. */

const ROWS = sized(300, 1_000)
const KILLS = sized(2, 5)
/** Of the rows, those whose agents exist before. */
const KNOWN = Math.floor(ROWS / 3)

interface Result {
  counts: Record<string, number>
  results: {
    external_key: string
    action: string
    agent_id: string
    revision: number
    error: { code: string } | null
  }[]
}

const isDoneOrOverloaded = ({ action, error }: Result['results'][number]) =>
  action !== 'failed' || error?.code === 'overloaded'

describe(`an import of ${ROWS} rows whose process is killed ${KILLS} times`, async () => {
  const running = await startConsoleProcess()
  let current: Process = running
  closeAfter(async () => {
    current.signal('SIGKILL')
    await current.ended
    await running.close()
  })
  const rowsOf = (purpose: string, count = ROWS) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ external_key: `key/${n}`, agent_name: `Agent ${n}`, model_name: 'm', purpose },
      skills: [{ id: purpose, name: purpose }],
    }))

  const repeatUntilDone = async (kind: 'key' | 'revisions' | 'neither') => {
    const team = randomUUID()
    const token = await running.token({ team })
    const post = async (rows: object[], query = '', headers: Record<string, string> = {}) => {
      const reply = await fetch(running.url + IMPORTS + query, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ rows }),
      })
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      return JSON.parse(text) as Result
    }
    const count = async (from: string) => {
      const [row] = await running.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${from} AND team_id = $1`,
        [team],
      )
      return row?.count ?? 0
    }
    await post(rowsOf('old', KNOWN))
    const rows = rowsOf('new')
    const { results } = await post(rows, '?dry_run=true')
    const planned = rows.map((row, n) => ({ ...row, expected_revision: results[n]?.revision }))
    const repeat = () =>
      post(
        kind === 'revisions' ? planned : rows,
        '',
        kind === 'key' ? { 'idempotency-key': 'the import' } : {},
      )
    // Two rows at a time take three seconds.
    const endSlowChanges = await slowDownChanges(running.database, 6 / ROWS)
    const applied = () => count(`agents WHERE purpose = 'new'`)
    for (let kill = 1; kill <= KILLS; kill++) {
      const goal = Math.floor((kill * ROWS) / (KILLS + 2))
      const broken = repeat().then(
        () => false,
        () => true,
      )
      await until('some rows are applied', async () => (await applied()) >= goal)
      current.signal('SIGKILL')
      await current.ended
      assert.equal(await broken, true, 'the request was in progress')
      current = startProcess('src/main.ts', running.environment)
      await answers(`${running.url}/health/live`, current)
    }
    await endSlowChanges()
    let before = await applied()
    assert.ok(before < ROWS, `${before} rows were applied before the last repetition`)
    let last = await repeat()
    // On a busy machine a request may have no time left for some rows.
    while ((last.counts['failed'] ?? 0) > 0 && last.results.every(isDoneOrOverloaded)) {
      before = await applied()
      last = await repeat()
    }
    // One agent for each row, one revision for each creation and change, and nothing twice.
    assert.deepEqual([await applied(), await count('agents WHERE true')], [ROWS, ROWS])
    for (const table of ['agent_revisions', 'outbox', `audit_events WHERE via = 'import'`]) {
      const from = table.includes('WHERE') ? table : `${table} WHERE true`
      assert.equal(await count(from), ROWS + KNOWN, table)
    }
    return { last, before, repeat }
  }

  it('returns the results of one import when it is repeated with an idempotency key', async () => {
    const { last, repeat } = await repeatUntilDone('key')
    assert.deepEqual(last.counts, {
      ...{ create: ROWS - KNOWN, update: KNOWN, unchanged: 0, conflict: 0, failed: 0 },
    })
    assert.deepEqual(await repeat(), last)
  })

  for (const kind of ['revisions', 'neither'] as const) {
    it(`has the same end with ${kind === 'revisions' ? 'expected revisions' : 'neither key nor revisions'}: what is done is unchanged`, async () => {
      const { last, before } = await repeatUntilDone(kind)
      const { create = 0, update = 0, unchanged, conflict, failed } = last.counts
      assert.deepEqual([create + update, unchanged, conflict, failed], [ROWS - before, before, 0, 0])
    })
  }
})
