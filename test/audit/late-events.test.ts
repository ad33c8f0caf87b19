import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAudit } from '../../src/audit/service.ts'
import { createExports } from '../../src/platform/fairness/exports.ts'
import { timeOf } from '../../src/platform/id-time.ts'
import { newId } from '../../src/platform/new-id.ts'
import { createMetrics } from '../../src/platform/observe/metrics.ts'
import { useConsole } from '../support/console.ts'

const OUTAGE_MS = 600_000

describe('the audit event of a call that waited for the database', async () => {
  const { deps, database } = await useConsole()

  it('gets an id of the time at which it is stored, once, and keeps the time of the call', async () => {
    const caller = { teamId: randomUUID(), userId: randomUUID(), requestId: 'r', via: 'api' }
    const calledAt = Date.now() - OUTAGE_MS
    const oldIds = [newId(calledAt), newId(calledAt)]
    const ids = [...oldIds]
    let time = calledAt
    const audit = createAudit({
      ...{ ...deps, sql: deps.database, system: deps.database.system, searches: deps.database.searches },
      ...{ exports: createExports({ queue: deps.lanes.searches }), metrics: createMetrics() },
      now: () => time,
      newId: () => ids.shift() ?? newId(),
    })
    const operation = { service: 's', operationId: 'o', path: '/v1/s' }
    const call = { caller: caller as never, operation, method: 'POST', status: 200, durationMs: 1 }
    // The first one was stored before the connection was lost.
    await database.query(
      `INSERT INTO audit_events (team_id, id, at, user_id, action, request_id, detail)
       VALUES ($1, $2, $3, $1, 'service_called', 'r', '{}')`,
      [caller.teamId, oldIds[0], Math.floor(calledAt / 1_000)],
    )
    audit.recordCall(call)
    audit.recordCall(call)
    time = Date.now()
    await audit.close()
    const rows = await database.query<{ id: string; at: string }>(
      'SELECT id, at FROM audit_events WHERE team_id = $1 ORDER BY id',
      [caller.teamId],
    )
    assert.equal(rows.length, 2)
    assert.equal(rows[0]?.id, oldIds[0])
    assert.ok(timeOf(rows[1]?.id ?? '') > time - 60_000)
    assert.equal(Number(rows[1]?.at), Math.floor(calledAt / 1_000))
  })
})
