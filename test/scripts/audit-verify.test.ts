import assert from 'node:assert/strict'
import { createPublicKey, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startConsoleProcess, startProcess } from '../acceptance/processes.ts'
import { addAuditEvents } from '../support/audit-months.ts'
import { signingKey } from '../support/signing.ts'
import { until } from '../support/until.ts'

describe('npm run audit:verify', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-audit-'))
  const key = signingKey()
  const publicKey = join(folder, 'public.pem')
  writeFileSync(publicKey, createPublicKey(key).export({ type: 'spki', format: 'pem' }))
  const running = await startConsoleProcess({ AUDIT_SIGNING_KEY: key, MAINTENANCE: 'off' })
  const { database } = running
  after(async () => {
    await running.close()
    rmSync(folder, { recursive: true })
  })
  await addAuditEvents(database, {
    team: randomUUID(),
    count: 30,
    days: 1,
    before: "now() - interval '1 hour'",
  })

  const verify = async (environment: Record<string, string>, ...options: string[]) => {
    const command = startProcess(
      'scripts/audit-verify.ts',
      { DATABASE_URL: database.url, ...environment },
      ...options,
    )
    return { code: await command.ended, output: command.output() }
  }

  it('says that nothing is sealed as long as no console seals', async () => {
    const { code, output } = await verify({ AUDIT_SIGNING_KEY: key })
    assert.equal(code, 1)
    assert.match(output, /FOUND: No record is sealed/)
  })

  it('finds nothing after a console has sealed, and then what was changed', async (t) => {
    const sealing = startProcess('src/main.ts', {
      ...running.environment,
      ...{ MAINTENANCE: 'on', PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info', NATS_URL: '' },
    })
    t.after(async () => {
      sealing.signal('SIGKILL')
      await sealing.ended
    })
    await until('the console has sealed', () => sealing.output().includes('sealed the audit log'), 60_000)
    const { code, output } = await verify({}, '--keys', publicKey)
    assert.equal(code, 0, output)
    assert.match(output, /^30 records, 1 checkpoints and 1 seals were checked\./)
    assert.match(output, /Nothing was changed, removed or added\./)
    const [, known = ''] = /--known (1:[\w-]+)/.exec(output) ?? []
    assert.equal((await verify({ AUDIT_SIGNING_KEY: key }, '--known', known)).code, 0)
    const other = await verify({ AUDIT_SIGNING_KEY: key }, '--known', `1:${'A'.repeat(43)}`)
    assert.equal(other.code, 1)
    assert.equal((await verify({ AUDIT_SIGNING_KEY: signingKey() })).code, 1, 'another key')

    await database.query(`ALTER TABLE audit_events_first DISABLE TRIGGER ALL`)
    await database.query(`ALTER TABLE audit_events DISABLE TRIGGER ALL`)
    await database.query(`DELETE FROM audit_events WHERE id = (SELECT max(id::text)::uuid FROM audit_events)`)
    const changed = await verify({}, '--keys', publicKey)
    assert.equal(changed.code, 1)
    assert.match(changed.output, /FOUND: Records of team .* 30 were sealed, 29 are there\./)

    await database.query('ALTER TABLE audit_seals DISABLE TRIGGER ALL')
    for (const table of ['audit_events', 'audit_checkpoints', 'audit_seals'])
      await database.query(`DELETE FROM ${table}`)
    const removed = await verify({}, '--keys', publicKey)
    assert.equal(removed.code, 2)
    assert.match(removed.output, /There is no seal to compare with/)
    assert.doesNotMatch(removed.output, /Nothing was changed/)
    assert.equal((await verify({}, '--keys', publicKey, '--known', known)).code, 1)
  })

  it('says what it needs', async () => {
    assert.deepEqual(await verify({}), {
      code: 2,
      output:
        'The audit log was not checked: AUDIT_SIGNING_KEY is missing: set it, or name public keys by --keys\n',
    })
    assert.match((await verify({ DATABASE_URL: '' })).output, /DATABASE_URL is missing/)
    assert.match((await verify({}, '--keys', join(folder, 'x'))).output, /--keys ENOENT/)
    assert.match((await verify({ AUDIT_SIGNING_KEY: key }, '--known', 'x')).output, /--known must be/)
    assert.match((await verify({ AUDIT_SIGNING_KEY: key }, '--moved', 'x')).output, /--moved must be/)
    const help = await verify({}, '--help')
    assert.equal(help.code, 0)
    for (const line of help.output.split('\n')) assert.ok(line.length <= 100, line)
  })
})
