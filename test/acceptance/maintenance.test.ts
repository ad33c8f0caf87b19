import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startConsoleProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

const OLD_KEY = `INSERT INTO idempotency_keys VALUES (gen_random_uuid(), 'k', '', gen_random_uuid(),
  extract(epoch FROM now() - make_interval(days => 8)))`

describe('a console process', () => {
  it('does the background work, reports it in its metrics, and stops it on SIGTERM', async (t) => {
    const running = await startConsoleProcess({ SHUTDOWN_DELAY_MS: '0' })
    t.after(() => running.close())
    await running.database.query(OLD_KEY)
    await until('the old key is deleted', async () => {
      const keys = await running.database.query('SELECT FROM idempotency_keys')
      return keys.length === 0
    })
    // The tasks start in any order.
    let metrics = ''
    await until('the partitions are created', async () => {
      metrics = await (await fetch(running.metricsUrl)).text()
      return /console_maintenance_runs_total\{task="audit_partitions",outcome="succeeded"\} 1/.test(metrics)
    })
    assert.match(metrics, /console_maintenance_rows_total\{task="idempotency_keys"\} 1/)
    assert.match(metrics, /console_audit_partitions_ahead_months 12/)
    running.signal('SIGTERM')
    assert.equal(await running.ended, 0, running.output())
  })

  it('erases a deleted agent', async (t) => {
    const running = await startConsoleProcess()
    t.after(() => running.close())
    const token = await running.token({ scope: 'agent:write agent:delete' })
    const send = (method: string, path: string, body?: object) =>
      fetch(`${running.url}/v1/agent-configurations${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const created = await send('POST', '', { agent_name: 'A', model_name: 'm', api_key: 'sk-canary' })
    const { id } = (await created.json()) as { id: string }
    assert.equal((await send('DELETE', `/${id}?erase=true`)).status, 204)
    await until('the agent is erased', async () => {
      const left = await running.database.query(
        'SELECT id FROM deleted_agents UNION ALL SELECT agent_id FROM agent_revisions',
      )
      return left.length === 0
    })
    const metrics = await (await fetch(running.metricsUrl)).text()
    assert.match(metrics, /console_maintenance_rows_total\{task="deleted_agents"\} 2/)
  })

  it('does none with MAINTENANCE=off', async (t) => {
    const running = await startConsoleProcess({ MAINTENANCE: 'off' })
    t.after(() => running.close())
    const metrics = await (await fetch(running.metricsUrl)).text()
    assert.doesNotMatch(metrics, /console_maintenance/)
    const connections = await running.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%maintenance'`,
    )
    assert.equal(connections.length, 0)
  })
})
