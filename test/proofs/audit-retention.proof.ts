import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { Client } from 'pg'
import { freePorts } from '../../dev/free-port.ts'
import { addAuditEvents, ageAudit, auditPartitions } from '../support/audit-months.ts'
import { startConsoleProcess, startProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'
import { watchLockWaits } from './lock-waits.ts'
import { startTraffic } from './traffic.ts'

const EVENTS = sized(20_000, 10_000_000)

/** The lock timeout of the functions that change partitions, and time to do it. */
const MAX_WAIT_MS = 1_000 * SLACK

it(`a month of ${EVENTS} audit events is dropped without a failed request`, async (t) => {
  const running = await startConsoleProcess({
    LOG_LEVEL: 'error',
    MAINTENANCE: 'off',
  })
  t.after(() => running.close())
  const { database } = running
  await ageAudit(database, 3)
  const old = await auditPartitions(database)
  await addAuditEvents(database, {
    ...{ team: randomUUID(), count: EVENTS, days: 28 },
    before: "date_trunc('month', now(), 'UTC') - interval '2 months'",
  })
  const token = await running.token()
  const ids: string[] = []
  for (let n = 0; n < 50; n++) {
    const response = await fetch(`${running.url}/v1/agent-configurations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_name: `agent ${n}`, model_name: 'm' }),
    })
    assert.equal(response.status, 201)
    ids.push(((await response.json()) as { id: string }).id)
  }
  const traffic = await startTraffic({ url: running.url, token, ids })
  const lockWaits = await watchLockWaits(database.url)
  const moreRequests = (from = traffic.requests()) =>
    until('requests are answered', () => traffic.requests() > from + 200, 60_000)
  await moreRequests()

  // The first attempt has to give up its lock.
  const reader = new Client({ connectionString: database.url })
  await reader.connect()
  await reader.query('BEGIN; LOCK TABLE ONLY audit_events IN ACCESS SHARE MODE')
  const [port, metricsPort] = await freePorts(2)
  const second = startProcess('src/main.ts', {
    ...running.environment,
    ...{ PORT: String(port), METRICS_PORT: String(metricsPort) },
    ...{ MAINTENANCE: 'on', AUDIT_RETENTION_MONTHS: '1' },
  })
  t.after(async () => {
    second.signal('SIGKILL')
    await second.ended
  })
  await until('an attempt has failed', async () => {
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
    return /task="audit_retention",outcome="failed"\} 1/.test(metrics)
  }).catch(() => t.diagnostic('no attempt gave up its lock'))
  await reader.end()
  const expired = async () =>
    (await database.query(`SELECT FROM pg_class WHERE relkind = 'r' AND relname ^@ 'expired_audit_events'`))
      .length
  await until(
    'the old months are dropped',
    async () => (await auditPartitions(database)).length === old.length - 3 && (await expired()) === 0,
    300_000,
  )
  await moreRequests()

  const longestWaitMs = await lockWaits.stop()
  const { requests, failures, slowestMs } = await traffic.stop()
  t.diagnostic(
    `${requests} requests, ${failures.length} failed; longest wait for a lock ${longestWaitMs.toFixed(0)} ms, ` +
      `slowest request ${slowestMs.toFixed(0)} ms`,
  )
  assert.deepEqual(failures, [], second.output())
  assert.ok(longestWaitMs < MAX_WAIT_MS, `${longestWaitMs} ms`)
})
