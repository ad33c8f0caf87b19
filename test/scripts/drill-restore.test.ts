import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type PrivatePostgres, startPrivatePostgres } from '../../dev/private-postgres.ts'
import { checkAudit } from '../../scripts/drill/checks.ts'
import { migrate } from '../../scripts/migrate.ts'
import { seed } from '../../scripts/seed.ts'
import { SecretText } from '../../src/platform/secrets/secret-text.ts'
import { createSecrets } from '../../src/platform/secrets/secrets.ts'
import { createSigner, parseSigningKeys } from '../../src/platform/secrets/signer.ts'
import { startProcess } from '../acceptance/processes.ts'
import { addAuditEvents } from '../support/audit-months.ts'
import { createTestDatabase, openDatabase, type TestDatabase } from '../support/database.ts'
import { type Archive, createRepository, type Repository } from '../support/pgbackrest.ts'
import { sealUntil, statementsOf } from '../support/sealed-audit.ts'
import { signingKey } from '../support/signing.ts'

const AGENTS = 200
const key = randomBytes(32)
const SECRETS_KEYS = `test:${key.toString('base64')}`
const AUDIT_SIGNING_KEY = signingKey()
const KEYS = { SECRETS_KEYS, AUDIT_SIGNING_KEY }

describe('npm run drill:restore', () => {
  let repository: Repository
  let production: PrivatePostgres
  let database: TestDatabase
  let archive: Archive
  let goodTime: string
  const folder = mkdtempSync(join(tmpdir(), 'console-drills-'))

  const start = (environment: Record<string, string>, ...options: string[]) =>
    startProcess(
      'scripts/drill-restore.ts',
      environment,
      ...[`--config=${archive.config}`, `--folder=${folder}`, ...options],
    )
  const drill = async (...given: Parameters<typeof start>) => {
    const command = start(...given)
    return { code: await command.ended, output: command.output() }
  }
  const repositoryFiles = () => globSync('repository/**', { cwd: repository.folder }).toSorted()

  before(async () => {
    // The user postgres goes through it.
    chmodSync(folder, 0o755)
    repository = await createRepository()
    production = await startPrivatePostgres({ settings: ['archive_mode=on'] })
    const first = openDatabase(production.url)
    await first.query('CREATE DATABASE console')
    await first.drop()
    const url = production.url.replace(/postgres$/, 'console')
    database = openDatabase(url)
    await migrate(url, () => {})
    await seed(url, { agents: AGENTS, seed: 1 }, () => {})
    await addSecret()
    await addSealedRecords(url)
    archive = await repository.attach(production)
    await archive.backUp('full')
    await database.query("UPDATE agent_revisions SET reason = 'after the backup' WHERE revision = 1")
    await archive.archived()
    // pgBackRest compares the end of a backup with a time in seconds.
    await sleep(1_100)
    const [now] = await database.query<{ time: string }>('SELECT clock_timestamp()::text AS time')
    goodTime = now?.time ?? ''
  })
  after(async () => {
    await database.drop()
    await production.remove()
    await repository.remove()
    rmSync(folder, { recursive: true })
  })

  async function addSecret(): Promise<void> {
    const [agent] = await database.query<{ teamId: string; agentId: string }>(
      'SELECT team_id AS "teamId", id AS "agentId" FROM agents LIMIT 1',
    )
    const { teamId = '', agentId = '' } = agent ?? {}
    const place = { teamId, agentId, field: 'api_key' }
    const sealed = createSecrets([{ id: 'test', key }]).seal(place, new SecretText('sk-canary'))
    await database.query(
      `UPDATE agents SET api_key_sealed = $2, api_key_mask = '', api_key_fingerprint = '', api_key_revision = 1
       WHERE id = $1`,
      [agentId, sealed],
    )
  }

  async function addSealedRecords(url: string): Promise<void> {
    const hours = "now() - interval '1 hour'"
    await addAuditEvents(database, { team: randomUUID(), count: 30, days: 1, before: hours })
    const client = new Client({ connectionString: url })
    await client.connect()
    await sealUntil(statementsOf(client), createSigner(parseSigningKeys(AUDIT_SIGNING_KEY)), 10)
    await client.end()
  }

  it('restores and checks the newest state, and leaves no trace', async () => {
    const files = repositoryFiles()
    const { code, output } = await drill(KEYS)
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`^ok +counts .* ${AGENTS} agents, 0 deleted, .* 30 audit events`, 'm'))
    assert.match(output, new RegExp(`^ok +revisions .* ${AGENTS} agents of a sample`, 'm'))
    assert.match(output, /^ok +secrets .* opens the 1 stored secrets of a sample/m)
    assert.match(output, /^ok +audit log .* 30 records agree with 1 seals/m)
    assert.match(output, /^Restored in [\d.]+ s, with all checks [\d.]+ s\. No problems\.$/m)
    assert.deepEqual(readdirSync(folder), [])
    assert.deepEqual(repositoryFiles(), files)
  })

  it('finds a lost revision, a changed audit record and keys that do not fit', async () => {
    await database.query(
      'DELETE FROM agent_revisions WHERE revision = 1 AND agent_id = (SELECT max(id::text)::uuid FROM agents)',
    )
    await database.query('ALTER TABLE audit_events_first DISABLE TRIGGER ALL')
    await database.query('ALTER TABLE audit_events DISABLE TRIGGER ALL')
    await database.query("UPDATE audit_events SET action = 'agent_deleted'")
    await archive.archived()
    const publicKey = join(folder, 'public.pem')
    writeFileSync(publicKey, createPublicKey(AUDIT_SIGNING_KEY).export({ type: 'spki', format: 'pem' }))
    const { code, output } = await drill(
      { SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}` },
      `--keys=${publicKey}`,
    )
    rmSync(publicKey)
    assert.equal(code, 1)
    const lost = `1 of ${AGENTS} agents of a sample lack revisions`
    assert.match(output, new RegExp(`^problem +revisions .* ${lost}`, 'm'))
    assert.match(output, /^problem +secrets .* does not open 1 of 1 stored secrets/m)
    assert.match(output, /^problem +audit log .* contradicts its seals in 1 places/m)
    assert.match(output, /^3 problems in /m)
  })

  it('finds that an audit log has no seal at all', async (t) => {
    const empty = await createTestDatabase()
    t.after(() => empty.drop())
    const client = new Client({ connectionString: empty.url })
    await client.connect()
    const { publicKeys } = createSigner(parseSigningKeys(AUDIT_SIGNING_KEY))
    const { level, text } = await checkAudit(
      client,
      { auditKeys: publicKeys, auditRetentionMonths: 0 },
      Date.now(),
    )
    await client.end()
    assert.deepEqual([level, text.includes('has no seal')], ['problem', true])
  })

  it('restores to a time before that, and reports what it does not check for want of keys', async () => {
    const { code, output } = await drill({}, `--time=${goodTime}`)
    assert.equal(code, 0, output)
    assert.match(output, /^ok +revisions /m)
    assert.match(output, /^skipped +secrets .* needs SECRETS_KEYS/m)
    assert.match(output, /^skipped +audit log .* needs AUDIT_SIGNING_KEY or --keys/m)
  })

  for (const [before, during] of [
    ['backup', 'restore'],
    ['restore', 'recover'],
  ])
    it(`removes everything when it is interrupted in the step ${during}`, async () => {
      const command = start(KEYS)
      // At once: the next step does not take long.
      const interrupt = () => {
        if (!new RegExp(`^ok +${before} `, 'm').test(command.output())) return
        command.child.stdout?.off('data', interrupt)
        command.signal('SIGINT')
      }
      command.child.stdout?.on('data', interrupt)
      assert.equal(await command.ended, 1, command.output())
      assert.match(command.output(), new RegExp(`^problem +${during} `, 'm'))
      assert.match(command.output(), /^ok +clean up /m)
      assert.deepEqual(readdirSync(folder), [])
    })

  it('reports a repository that cannot be read, another database and a mistake', async () => {
    const wrong = join(folder, 'wrong.conf')
    const text = readFileSync(archive.config, 'utf8')
    writeFileSync(wrong, text.replace(/repo1-cipher-pass=.*/, 'repo1-cipher-pass=wrong'), { mode: 0o644 })
    const unreadable = await drill(KEYS, `--config=${wrong}`)
    rmSync(wrong)
    assert.equal(unreadable.code, 1)
    assert.match(unreadable.output, /^problem +backup /m)
    assert.doesNotMatch(unreadable.output, /restore /)
    const absent = await drill(KEYS, '--database=postgres')
    assert.equal(absent.code, 1)
    assert.match(absent.output, /^problem +schema .* no tables of the console/m)
    assert.deepEqual(readdirSync(folder), [])
    assert.deepEqual(await drill({}, '--halp'), { code: 1, output: "Unknown option '--halp'\n" })
  })
})
