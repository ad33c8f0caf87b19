import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createClient } from '@redis/client'
import { freePorts, onFreePort } from '../../dev/free-port.ts'
import { diagnose } from '../../scripts/doctor/diagnose.ts'
import type { Finding } from '../../scripts/doctor/finding.ts'
import { TABLE_GRANTS } from '../../scripts/grants.ts'
import { Secrets, SecretText } from '../../src/platform/crypto/secrets.ts'
import { closeAfter } from '../support/close-after.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'
import { startEvolutionService } from '../support/evolution-service/server.ts'
import { allGrants } from '../support/grants.ts'
import { startIssuer } from '../support/issuer/issuer.ts'
import { createMovingAddress } from '../support/moving-address.ts'
import { startNatsCluster } from '../support/nats-cluster.ts'
import { createNatsProcess } from '../support/nats-process.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { startPrivateNats } from '../support/private-nats.ts'
import { startPrivateRedis } from '../support/private-redis.ts'
import { startProcess } from '../support/processes.ts'

const root = join(import.meta.dirname, '../..')
describe('the rights that the doctor checks', () => {
  it('name every table', async () => {
    const database = await createTestDatabase()
    const tables = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    await database.drop()
    const missing = tables.map(({ name }) => name).filter((name) => !Object.hasOwn(TABLE_GRANTS, name))
    assert.deepEqual(missing, [], 'Add the table to scripts/grants.ts.')
  })
})

describe('npm run doctor', async () => {
  const [database, empty, issuer, nats, redis, [closedPort, plainPort]] = await Promise.all([
    createTestDatabase(),
    createEmptyDatabase(),
    startIssuer({ grants: false }),
    startPrivateNats(),
    startPrivateRedis(),
    freePorts(2),
  ])
  const evolution = await startEvolutionService({ issuer: issuer.url, audience: issuer.audience })
  const role = `doctor_${randomUUID().replaceAll('-', '')}`
  const databaseName = new URL(database.url).pathname.slice(1)
  // The doctor reports commits that do not wait for the disk.
  await database.query(`ALTER DATABASE ${databaseName} RESET synchronous_commit`)
  await database.query(`CREATE ROLE ${role} LOGIN`)
  await database.query(allGrants(role))
  closeAfter(async () => {
    await Promise.all([evolution.close(), issuer.close(), nats.remove(), redis.remove()])
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await Promise.all([database.drop(), empty.drop()])
  })

  const asRole = (url: string) => Object.assign(new URL(url), { username: role }).toString()
  const key = randomBytes(32)
  const closed = `127.0.0.1:${closedPort}`
  const environment = {
    DATABASE_URL: asRole(database.url),
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: issuer.audience,
    PUBLIC_URL: `https://${closed}`,
    SECRETS_KEYS: `k1:${key.toString('base64')}`,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    EVOLUTION_URL: evolution.url,
    MAX_CONNECTIONS: '100',
    DATABASE_POOL_SIZE: '4',
  }
  const place = { teamId: randomUUID(), agentId: randomUUID(), field: 'secrets.crm' }
  const sealed = new Secrets([{ id: 'k1', key }]).seal(place, new SecretText('secret value'))
  await database.query('INSERT INTO agent_secrets VALUES ($1, $2, $3, $4, $5)', [
    ...[place.teamId, place.agentId, 'crm'],
    ...[sealed, Buffer.alloc(32)],
  ])

  const run = (changes: Record<string, string> = {}, now = Date.now) =>
    diagnose({ ...environment, ...changes }, now)
  const problems = (findings: Finding[]) => findings.filter(({ level }) => level === 'problem')
  /** The check must report it as a problem with something to do, in these words. */
  const finds = (findings: Finding[], check: string, words: RegExp) => {
    const found = problems(findings).find((finding) => finding.check === check && words.test(finding.text))
    assert.ok(found, `${check} ${words} is missing in\n${JSON.stringify(findings, null, 1)}`)
    assert.ok((found.fix ?? '').length > 10, 'it says what to do')
  }
  /** Changes the database, runs the checks and undoes the change. */
  const planted = async (statement: string, undo: string) => {
    await database.query(statement)
    try {
      return await run()
    } finally {
      await database.query(undo)
    }
  }

  it('finds no problem in a sound deployment', async () => {
    const findings = await run()
    assert.deepEqual(problems(findings), [])
    assert.deepEqual(
      findings.filter(({ level }) => level === 'advice').map(({ text }) => text),
      ['NATS is a single server.'],
    )
    const skipped = findings.filter(({ level }) => level === 'skipped').map(({ check }) => check)
    assert.deepEqual(skipped, ['certificates', 'revocations'])
  })

  it('finds variables that are missing or invalid, all at once', async () => {
    const findings = await run({ SECRETS_KEYS: '', DATABASE_POOL_SIZE: 'many' })
    finds(findings, 'configuration', /SECRETS_KEYS is missing/)
    finds(findings, 'configuration', /DATABASE_POOL_SIZE must be/)
  })

  it('finds insecure settings that are allowed', async () => {
    const findings = await run({
      PUBLIC_URL: 'http://console.example.com',
      SECRETS_KEYS: 'public:UHVibGlzaGVkIGtleSwgZm9yIHRyaWFscyBvbmx5ISE=',
      ALLOW_INSECURE: 'http_public_url,published_key',
    })
    finds(findings, 'encryption', /PUBLIC_URL is http/)
    finds(findings, 'encryption', /SECRETS_KEYS has the key that compose.yaml contains/)
  })

  it('finds a key that is readable text, and one that repeats bytes', async () => {
    const readable = Buffer.from('correct horse battery staple 42!').toString('base64')
    const repeated = Buffer.alloc(32, Buffer.from([1, 2, 3, 250])).toString('base64')
    const findings = await run({ SECRETS_KEYS: `k1:${readable},k2:${repeated}` })
    finds(findings, 'keys', /key k1 .* readable text/)
    finds(findings, 'keys', /key k2 .* repeats bytes/)
    assert.ok(!JSON.stringify(findings).includes(readable), 'it prints no key')
  })

  it('finds a database that does not respond, and goes on', async () => {
    const findings = await run({ DATABASE_URL: `postgres://u:hidden@${closed}/x` })
    finds(findings, 'database', /ECONNREFUSED/)
    assert.equal(findings.find(({ check }) => check === 'schema')?.level, 'skipped')
    assert.equal(findings.find(({ check }) => check === 'issuer')?.level, 'ok')
    assert.ok(!JSON.stringify(findings).includes('hidden'), 'it prints no password')
  })

  it('finds a database that is read-only', async () => {
    const change = `ALTER DATABASE ${databaseName}`
    finds(
      await planted(
        `${change} SET default_transaction_read_only = on`,
        `SET default_transaction_read_only = off; ${change} RESET default_transaction_read_only`,
      ),
      'database',
      /read-only/,
    )
  })

  it('finds commits that do not wait for the disk', async () => {
    const change = `ALTER ROLE ${role}`
    finds(
      await planted(`${change} SET synchronous_commit = off`, `${change} RESET synchronous_commit`),
      'database',
      /synchronous_commit is off/,
    )
  })

  it('finds a schema that is outdated, and a database without tables', async () => {
    const [newest] = await database.query<{ name: string }>('SELECT max(name) AS name FROM schema_migrations')
    const findings = await planted(
      `DELETE FROM schema_migrations WHERE name = '${newest?.name}'`,
      `INSERT INTO schema_migrations (name, run_on) VALUES ('${newest?.name}', now())`,
    )
    finds(findings, 'schema', new RegExp(`${newest?.name} missing`))
    finds(await run({ DATABASE_URL: asRole(empty.url) }), 'schema', /has no tables/)
  })

  it('finds a role that is a superuser, and one that owns tables', async () => {
    finds(await run({ DATABASE_URL: database.url }), 'role', /is a superuser/)
    finds(
      await planted(`ALTER TABLE agents OWNER TO ${role}`, 'ALTER TABLE agents OWNER TO postgres'),
      'role',
      /owns tables \(agents\)/,
    )
    await database.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON agents TO ${role}`)
  })

  it('finds a role that may change audit records', async () => {
    finds(
      await planted(`GRANT UPDATE ON audit_events TO ${role}`, `REVOKE UPDATE ON audit_events FROM ${role}`),
      'role',
      /may change or delete audit records \(audit_events\)/,
    )
  })

  it('finds every right that is missing: on a table, a column and a function', async () => {
    const findings = await planted(
      `REVOKE DELETE, UPDATE (payload) ON outbox FROM ${role};
      REVOKE EXECUTE ON FUNCTION create_audit_partition(date) FROM ${role}`,
      `GRANT DELETE, UPDATE (payload) ON outbox TO ${role};
      GRANT EXECUTE ON FUNCTION create_audit_partition(date) TO ${role}`,
    )
    finds(findings, 'grants', /may not DELETE ON outbox/)
    finds(findings, 'grants', /may not UPDATE \(payload\) ON outbox/)
    finds(findings, 'grants', /may not EXECUTE ON FUNCTION create_audit_partition\(date\)/)
    assert.equal(problems(findings).length, 3)
  })

  it('finds that the clock differs from that of the issuer', async () => {
    const findings = await run({}, () => Date.now() + 600_000)
    finds(findings, 'issuer', /s ahead of that of the issuer/)
  })

  it('finds that PostgreSQL has no room for another replica', async () => {
    const change = `ALTER ROLE ${role} CONNECTION LIMIT`
    finds(await planted(`${change} 5`, `${change} -1`), 'free connections', /Only 5 connections.*needs 10/)
    finds(await run({ DATABASE_POOL_SIZE: '1000' }), 'free connections', /for this server/)
    // The session of this test has another role, of which PostgreSQL shows little.
    const limit = `ALTER DATABASE ${databaseName} CONNECTION LIMIT`
    finds(
      await planted(`${limit} 10`, `${limit} -1`),
      'free connections',
      /Only \d connections.* this database/,
    )
  })

  it('finds keys that do not open the stored secrets', async () => {
    const other = randomBytes(32).toString('base64')
    finds(await run({ SECRETS_KEYS: `k1:${other}` }), 'stored secrets', /does not open 1 of 1/)
    finds(await run({ SECRETS_KEYS: `k2:${other}` }), 'stored secrets', /has no key k1/)
  })

  it('does not say that keys fit if no secret is stored', async () => {
    const findings = await planted(
      'CREATE TABLE kept AS TABLE agent_secrets; DELETE FROM agent_secrets',
      'INSERT INTO agent_secrets TABLE kept; DROP TABLE kept',
    )
    assert.equal(findings.find(({ check }) => check === 'stored secrets')?.level, 'skipped')
  })

  it('finds that the partitions of the audit log end soon', async () => {
    const findings = await run({}, () => Date.now() + 340 * 86_400_000)
    finds(findings, 'audit partitions', /partitions for \d+ days only/)
  })

  it('finds events that are not delivered', async () => {
    finds(
      await planted(
        'UPDATE event_delivery SET diverged_at = now()',
        'UPDATE event_delivery SET diverged_at = NULL',
      ),
      'delivery',
      /Delivery has stopped/,
    )
    const id = randomUUID()
    finds(
      await planted(
        `INSERT INTO outbox (id, team_id, aggregateid, revision, type, payload, written_at)
        VALUES ('${id}', '${id}', '${id}', 1, 'updated', '{}', now() - interval '1 hour')`,
        'DELETE FROM outbox',
      ),
      'delivery',
      /has waited 36\d\d s/,
    )
  })

  it('finds a pooler that drops the time limit, or is between relay and database', async (t) => {
    const pooler = await startPgBouncer(asRole(database.url))
    t.after(() => pooler.remove())
    const findings = await run({ DATABASE_URL: pooler.url })
    finds(findings, 'pooler', /drops statement_timeout/)
    finds(findings, 'pooler', /relay .* through a pooler/)
  })

  it('finds a certificate that is not trusted, and one that expires soon', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'console-certificate-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '3',
        ],
        ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    )
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) })
    const port = await onFreePort(async (free) => {
      server.listen(free, '127.0.0.1')
      await once(server, 'listening')
    })
    t.after(() => server.close())
    const findings = await run({ PUBLIC_URL: `https://localhost:${port}` })
    finds(findings, 'certificates', /is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT/)
    finds(findings, 'certificates', /expires in 2 days/)
  })

  it('finds an issuer that does not respond, or is another one', async () => {
    finds(await run({ AUTH_ISSUER: `http://${closed}` }), 'issuer', /ECONNREFUSED/)
    const other = issuer.url.replace('127.0.0.1', 'localhost')
    finds(await run({ AUTH_ISSUER: other }), 'issuer', /another issuer/)
  })

  it('finds a list of revocations that cannot be read', async () => {
    finds(await run({ AUTH_REVOCATIONS_URL: `http://${closed}/list` }), 'revocations', /cannot be read/)
  })

  it('finds a NATS that does not respond, or has no JetStream', async (t) => {
    finds(await run({ NATS_URL: `nats://${closed}` }), 'NATS', /cannot be used/)
    const plain = createNatsProcess(['--addr', '127.0.0.1', '--port', String(plainPort)])
    await plain.start()
    t.after(() => plain.kill())
    finds(await run({ NATS_URL: `nats://127.0.0.1:${plainPort}` }), 'NATS', /JetStream cannot be used/)
  })

  it('finds a number of copies of the stream that does not fit NATS', async (t) => {
    finds(await run({ NATS_REPLICAS: '3' }), 'NATS', /NATS_REPLICAS=3, but NATS is a single server/)
    const cluster = await startNatsCluster(3)
    t.after(() => cluster.remove())
    finds(
      await run({ NATS_URL: cluster.urls.join(',') }),
      'NATS',
      /is a cluster, but the stream has one copy/,
    )
    const findings = await run({ NATS_URL: cluster.urls.join(','), NATS_REPLICAS: '3' })
    assert.equal(findings.find(({ check }) => check === 'NATS')?.level, 'ok')
  })

  it('finds a Redis that does not respond', async () => {
    finds(await run({ REDIS_URL: `redis://${closed}` }), 'Redis', /cannot be used/)
  })

  it('finds a user of Redis that may not run scripts', async (t) => {
    const client = createClient({ url: redis.url })
    await client.connect()
    t.after(() => client.destroy())
    await client.sendCommand(['ACL', 'SETUSER', 'reader', 'on', 'nopass', '~*', '+get', '+info', '+ping'])
    const url = redis.url.replace('redis://', 'redis://reader:x@')
    finds(await run({ REDIS_URL: url }), 'Redis', /no permissions/i)
  })

  it('finds a server that is too old', async () => {
    const lengthOfTwo = '\0\0\0\x02'
    const cases = [
      ['DATABASE_URL', environment.DATABASE_URL, 'database', `${lengthOfTwo}15`, `${lengthOfTwo}14`],
      ['NATS_URL', nats.url, 'NATS', '"version":"2.', '"version":"1.'],
      ['REDIS_URL', redis.url, 'Redis', 'redis_version:7', 'redis_version:5'],
    ] as const
    for (const [variable, url, check, version, older] of cases) {
      const replace = (bytes: Buffer) => bytes.toString('latin1').replaceAll(version, older)
      const address = await createMovingAddress(url, (bytes) => Buffer.from(replace(bytes), 'latin1'))
      try {
        finds(await run({ [variable]: address.url }), check, /^(PostgreSQL|NATS|Redis) is \d/)
      } finally {
        await address.close()
      }
    }
  })

  it('finds an upstream that does not respond', async () => {
    finds(
      await run({ EVOLUTION_URL: `http://${closed}` }),
      'upstreams',
      /evolution service cannot be reached/,
    )
  })

  it('exits with 1 and says what to do below each problem, aligned', async () => {
    const command = spawn('sh', ['-c', 'ulimit -n 1024; exec "$0" scripts/doctor.ts', process.execPath], {
      cwd: root,
      env: { PATH: process.env['PATH'], ...environment, MAX_CONNECTIONS: '10000' },
    })
    const ended = once(command, 'close')
    const stdout = await text(command.stdout)
    assert.deepEqual(await ended, [1, null], stdout)
    assert.match(stdout, /^problem  machine +A process may open 1024 files; 10000 connections/m)
    const lines = stdout.split('\n')
    const at = lines.findIndex((line) => line.startsWith('problem'))
    assert.equal(lines[at + 1]?.indexOf('->'), lines[at]?.indexOf('A process'))
    assert.match(
      stdout,
      /1 problem: follow the steps after -> from top to bottom, then run this again\. 1 line is advice\.\n$/,
    )
  })

  it('exits with 0 if there is no problem', async () => {
    const command = startProcess('scripts/doctor.ts', environment)
    assert.equal(await command.ended, 0, command.output())
    assert.match(command.output(), /\nNo problems\./)
  })
})
