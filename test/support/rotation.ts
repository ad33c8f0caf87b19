import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { maskSecret, Secrets, SecretText } from '../../src/platform/crypto/secrets.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from './agents.ts'
import { type Person, startConsole, type TestConsole } from './console.ts'
import { startProcess } from './processes.ts'
import { until } from './until.ts'

/** What is proved of a rotation: that it ends with every secret under the new key and none changed, killed twice on
 * its way and while others write. */

const FIELDS = ['api_key', 'github_token'] as const
const WRITERS = 4
/** Of each writer; the rest of the agents have no writer, and must not change. */
const AGENTS_OF_A_WRITER = 5

/** A deleted agent can be recovered, so its secrets are rotated too. */
const ALL_AGENTS = (() => {
  const secrets = FIELDS.flatMap((field) =>
    ['sealed', 'mask', 'fingerprint'].map((part) => `${field}_${part}`),
  )
  const select = (table: string) => `SELECT team_id, id, revision, ${secrets.join(', ')} FROM ${table}`
  return `(${select('agents')} UNION ALL ${select('deleted_agents')})`
})()

interface Fleet {
  ids: string[]
  /** What the secrets of each agent must be in the end. */
  expected: Map<string, Record<(typeof FIELDS)[number], string>>
}

export async function proveRotation(count: number, tell: (line: string) => void): Promise<void> {
  const [older, newer] = [
    { id: 'older', key: randomBytes(32) },
    { id: 'newer', key: randomBytes(32) },
  ]
  const ring = (...keys: (typeof older)[]) =>
    keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',')
  const before = await startConsole({ environment: { SECRETS_KEYS: ring(older) } })
  const { url } = before.database
  const serving = await startConsole({ environment: { SECRETS_KEYS: ring(newer, older), DATABASE_URL: url } })
  try {
    const person = await before.person()
    const fleet = await createFleet(before, person, Math.ceil(count / FIELDS.length))
    await deleteSome(before, person, fleet)
    const left = async () => {
      const [row] = await before.database.query<{ left: number }>(
        `SELECT (count(*) FILTER (WHERE position('newer'::bytea IN api_key_sealed) <> 3)
           + count(*) FILTER (WHERE position('newer'::bytea IN github_token_sealed) <> 3))::int AS left FROM ${ALL_AGENTS} a`,
      )
      return row?.left as number
    }
    const writers = startWriters(serving, await serving.person({ team: person.team }), fleet)

    // As large as it is by default where there is enough to be killed in the midst of it.
    const environment = {
      ...{ DATABASE_URL: url, SECRETS_KEYS: ring(newer, older) },
      ROTATE_BATCH: String(Math.min(500, Math.ceil(count / 120))),
    }
    let previous = await left()
    for (const [time, part] of [
      ['first', 1 / 4],
      ['second', 1 / 2],
    ] as const) {
      await killAt(agentAt(fleet.ids, part), before, environment)
      const now = await left()
      tell(`killed for the ${time} time with ${now} of ${previous} left`)
      assert.ok(now > 0 && now < previous, `${now} of ${previous} left`)
      previous = now
    }
    const rotation = startProcess('scripts/rotate-secrets.ts', environment)
    assert.equal(await rotation.ended, 0, rotation.output())
    tell(rotation.output().trim().split('\n').slice(-2).join('; '))
    assert.match(rotation.output(), /\n\d+ of \d+ secrets sealed with the first key \(100\.0 %\), \d+\/s\n/)
    assert.match(rotation.output(), /\n0 secrets still have an old seal\n$/)
    const writes = await writers.stop()
    tell(`${writes} writes meanwhile`)
    assert.ok(writes > 0)

    await checkFleet(before, person, fleet, new Secrets([newer]))
    const again = startProcess('scripts/rotate-secrets.ts', environment)
    assert.equal(await again.ended, 0)
    assert.match(again.output(), /^0 of 0 secrets sealed with the first key/)
  } finally {
    await serving.close()
    await before.close()
  }
}

async function createFleet(running: TestConsole, person: Person, count: number): Promise<Fleet> {
  const { secrets } = running.core
  const model = await createAgent(running, person)
  const fleet: Fleet = { ids: [], expected: new Map() }
  for (let start = 0; start < count; start += 1_000) {
    const agents = Array.from({ length: Math.min(1_000, count - start) }, () => {
      const id = randomUUID()
      const own = { api_key: `sk-${randomUUID()}`, github_token: `ghp-${randomUUID()}` }
      fleet.ids.push(id)
      fleet.expected.set(id, own)
      const sealed = FIELDS.map((field) => {
        const place = { teamId: person.team, agentId: id, field }
        const secret = new SecretText(own[field])
        return [secrets.seal(place, secret), maskSecret(secret), secrets.fingerprints(place, secret)[0]]
      })
      return [id, ...sealed.flat()]
    })
    await running.database.query(
      `INSERT INTO agents (team_id, id, revision, created_by, created_at, updated_at, agent_name, model_name, hub,
         rate_limit_requests_per_minute, status, access_level, protocol, protection_status, guard_manually_configured,
         trust_stage, delegated_agents, import_metadata, capabilities, skills, white_box_config,
         api_key_sealed, api_key_mask, api_key_fingerprint,
         github_token_sealed, github_token_mask, github_token_fingerprint, bytes)
       SELECT team_id, n.id, revision, created_by, created_at, updated_at, agent_name, model_name, hub,
         rate_limit_requests_per_minute, status, access_level, protocol, protection_status, guard_manually_configured,
         trust_stage, delegated_agents, import_metadata, capabilities, skills,
         json_build_object('github_token', n.token_mask),
         n.key_sealed, n.key_mask, n.key_fingerprint, n.token_sealed, n.token_mask, n.token_fingerprint, bytes
       FROM agents a, unnest($2::uuid[], $3::bytea[], $4::text[], $5::bytea[], $6::bytea[], $7::text[], $8::bytea[])
         AS n (id, key_sealed, key_mask, key_fingerprint, token_sealed, token_mask, token_fingerprint)
       WHERE a.id = $1`,
      [model.id, ...[0, 1, 2, 3, 4, 5, 6].map((column) => agents.map((agent) => agent[column]))],
    )
  }
  return fleet
}

/** Not an agent of a writer, nor a deleted one: those are the first few of each fifth. */
function agentAt(ids: string[], part: number): string {
  return ids.toSorted()[Math.floor(ids.length * part)] as string
}

/** Starts a rotation and kills it once it waits for the row of this agent, and so in the midst of its way on any machine. */
async function killAt(
  id: string,
  { database }: TestConsole,
  environment: Record<string, string>,
): Promise<void> {
  const holder = new Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    const { rows } = await holder.query(
      'SELECT pg_backend_pid() AS pid FROM agents WHERE id = $1 FOR UPDATE',
      [id],
    )
    const rotation = startProcess('scripts/rotate-secrets.ts', environment)
    await until('the rotation waits for the agent', async () => {
      assert.equal(rotation.child.exitCode, null, rotation.output())
      const waiting = await database.query(
        'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
        [rows[0].pid],
      )
      return waiting.length > 0
    })
    rotation.signal('SIGKILL')
    await rotation.ended
  } finally {
    await holder.end()
  }
}

/** Agents that are spread over the whole fleet, so that the rotation meets them all along its way. */
function everyFifth(ids: string[], offset: number): string[] {
  return ids.toSorted().filter((_id, i) => i % Math.floor(ids.length / AGENTS_OF_A_WRITER) === offset)
}

async function deleteSome(running: TestConsole, { token }: Person, { ids }: Fleet): Promise<void> {
  for (const id of everyFifth(ids, WRITERS)) {
    const { status } = await running.request('DELETE', `${COLLECTION}/${id}`, { token })
    assert.equal(status, 204)
  }
}

/** Each has agents of its own, so that it knows what must be in them. */
function startWriters(running: TestConsole, person: Person, { ids, expected }: Fleet) {
  let stopped = false
  let writes = 0
  const write = async (own: string[]) => {
    for (let n = 0; !stopped; n++) {
      const id = own[n % own.length] as string
      const secrets = expected.get(id) as Record<(typeof FIELDS)[number], string>
      const next = { api_key: `sk-${randomUUID()}`, github_token: `ghp-${randomUUID()}` }
      const bodies = [
        { api_key: next.api_key },
        { white_box_config: { github_token: next.github_token } },
        { api_key: secrets.api_key, purpose: `${n}` },
        { api_key: (await getAgent(running, person, id)).body.api_key, purpose: `masked ${n}` },
      ]
      const kind = Math.floor(n / own.length) % bodies.length
      const reply = await putAgent(running, person, id, bodies[kind])
      assert.equal(reply.status, 200, reply.text)
      if (kind === 0) secrets.api_key = next.api_key
      if (kind === 1) secrets.github_token = next.github_token
      writes++
    }
  }
  const all = Promise.all(
    Array.from({ length: WRITERS }, (_, n) => {
      return write(everyFifth(ids, n))
    }),
  )
  // Awaited at the end. If the proof fails before, its own error is the one to report.
  all.catch(() => {})
  return {
    stop: async () => {
      stopped = true
      await all
      return writes
    },
  }
}

async function checkFleet(
  { database }: TestConsole,
  { team }: Person,
  { ids, expected }: Fleet,
  newOnly: Secrets,
): Promise<void> {
  // oxlint-disable-next-line typescript/no-explicit-any -- a row of all columns
  const rows = await database.query<any>(
    `SELECT *, (SELECT count(*)::int FROM agent_revisions r WHERE r.team_id = a.team_id AND r.agent_id = a.id) AS kept
     FROM ${ALL_AGENTS} a WHERE id = ANY ($1)`,
    [ids],
  )
  assert.equal(rows.length, ids.length)
  for (const row of rows) {
    for (const field of FIELDS) {
      const place = { teamId: team, agentId: row.id, field }
      const secret = newOnly.open(place, row[`${field}_sealed`])
      assert.equal(secret.reveal(), expected.get(row.id)?.[field])
      assert.equal(row[`${field}_mask`], maskSecret(secret))
      assert.deepEqual(row[`${field}_fingerprint`], newOnly.fingerprints(place, secret)[0])
    }
    // The fleet was put there without its first revision; every other is a write's, and none the rotation's.
    assert.equal(Number(row.revision), 1 + row.kept)
  }
}
