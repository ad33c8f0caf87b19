import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION } from './agents.ts'
import { createFlock } from './canaries.ts'
import { refusedRequests } from './canary-requests.ts'
import type { Scene } from './canary-scene.ts'
import { type RequestOptions, startConsole, type TestConsole } from './console.ts'
import { allGrants } from './grants.ts'
import { plantCredentials } from './planted-credentials.ts'
import { type PrivatePostgres, startPrivatePostgres } from './private-postgres.ts'
import { startProcess } from './processes.ts'

/** What is proved of secrets: whatever is done with them, they show in the answer to the write that supplied them
 * and in `…/secrets`, and nowhere else. And of credentials in other fields: once they are redacted, nothing shows them. */

const run = promisify(execFile)

const KEY_IDS = ['older', 'newer']

export async function proveCanaries(
  { agents, planted }: { agents: number; planted: number },
  tell: (line: string) => void,
): Promise<void> {
  const postgres = await startPrivatePostgres()
  const [older, newer] = KEY_IDS.map((id) => `${id}:${randomBytes(32).toString('base64')}`)
  try {
    const asOwner = new Client({ connectionString: postgres.url })
    // A failed proof stops the server under it.
    asOwner.on('error', () => {})
    await asOwner.connect()
    const url = await prepare(postgres, asOwner)
    const running = await startConsole({
      environment: { DATABASE_URL: url, SECRETS_KEYS: `${older},${newer}` },
    })
    try {
      const scene = await createScene(postgres, running)
      const { flock, leaks, send, token } = scene
      let last = { id: '', team: '', secrets: [''] }
      for (let n = 0; n < agents; n++) last = await leadALife(scene)
      const credentials = await plantCredentials(scene, planted)

      const rotation = startProcess('scripts/rotate-secrets.ts', {
        DATABASE_URL: postgres.url,
        SECRETS_KEYS: `${newer},${older}`,
      })
      assert.equal(await rotation.ended, 0, rotation.output())
      lookForSealed(scene, 'the output of the rotation', rotation.output())
      const { token: owner } = await running.person({ team: last.team })
      const path = `${COLLECTION}/${last.id}/secrets`
      await send('rotated secrets', 'GET', path, { token: owner }, last.secrets)
      await failInTheDatabase(scene, asOwner, last)
      const { rows, dump } = await searchDatabase(scene, asOwner)
      leaks.push(...credentials.search('the tables', rows), ...credentials.search('pg_dump', dump))
      await asOwner.end()
      await postgres.stop()
      for (const [method, path] of [
        ['PUT', `${COLLECTION}/${last.id}`],
        ['POST', COLLECTION],
        ['GET', `${COLLECTION}/${last.id}/secrets`],
      ] as const) {
        const json = { agent_name: 'A', model_name: 'm', api_key: flock.hatch() }
        const reply = await send('no database', method, path, {
          token,
          ...(method === 'GET' ? {} : { json }),
        })
        assert.equal(reply.status, 503)
      }
      const files = searchFiles(scene)
      lookForSealed(scene, 'the log', running.logLines.join(''))
      const metrics = await running.core.metrics.registry.metrics()
      lookForSealed(scene, 'the metrics', metrics)
      const postgresLog = readFileSync(join(postgres.folder, 'log'), 'utf8')
      leaks.push(
        ...credentials.search('the log', running.logLines.join('')),
        ...credentials.search('the metrics', metrics),
        ...credentials.search('the log of PostgreSQL', postgresLog),
      )
      tell(`${flock.count()} canaries, ${running.logLines.length} log lines, ${files}`)
      tell(`${credentials.count} credentials in other fields`)
      assert.deepEqual([...new Set(leaks)], [])
    } finally {
      await running.close()
    }
  } finally {
    await postgres.remove()
  }
}

/** The role that serves has the grants of the operating manual, and no others. */
async function prepare(postgres: PrivatePostgres, asOwner: Client): Promise<string> {
  await migrate(postgres.url, () => {})
  await asOwner.query(`CREATE ROLE console LOGIN; ${allGrants()}`)
  return postgres.url.replace('postgres@', 'console@')
}

async function createScene(postgres: PrivatePostgres, running: TestConsole): Promise<Scene> {
  const flock = createFlock()
  const leaks: string[] = []
  const { token } = await running.person()
  const send: Scene['send'] = async (name, method, path, options = {}, may = []) => {
    const reply = await running.request<Agent>(method, path, { token, ...options })
    const answer = JSON.stringify(Object.fromEntries(reply.headers)) + reply.text
    const found = [...flock.find(answer, may), ...findSealed(answer)]
    leaks.push(...found.map((leak) => `the answer to ${name}: ${leak}`))
    for (const canary of may) assert.ok(answer.includes(JSON.stringify(canary)), `${name}: ${answer}`)
    return reply
  }
  return { flock, postgres, running, token, leaks, send }
}

function look({ flock, leaks }: Scene, where: string, text: string | Buffer): void {
  leaks.push(...flock.find(text).map((leak) => `${where}: ${leak}`))
}

/** Where not even the sealed secret may be: anywhere but in the table of agents. */
function lookForSealed(scene: Scene, where: string, text: string): void {
  look(scene, where, text)
  scene.leaks.push(...findSealed(text).map((leak) => `${where}: ${leak}`))
}

/** What is sealed begins with its version and the name of its key, whose length comes first. */
function findSealed(text: string): string[] {
  return KEY_IDS.flatMap((id) => {
    const start = Buffer.from([2, id.length, ...Buffer.from(id)])
    const spellings = [
      start.toString('latin1'),
      JSON.stringify(start.toString('latin1')).slice(1, -1),
      start.toString('hex'),
      // The last character depends on what follows.
      start.toString('base64').replace(/.=*$/, ''),
      Array.from(start).join(','),
    ]
    return spellings.some((spelling) => text.includes(spelling)) ? [`sealed under ${id}`] : []
  })
}

/** All that can happen to the secrets of one agent. */
async function leadALife({ flock: { hatch }, running, token, send }: Scene) {
  const [key, gitToken, nextKey, nextToken] = [hatch(), hatch(), hatch(), hatch()]
  const [named, nextNamed, lost] = [hatch(), hatch(), hatch()]
  const { team, token: owner } = await running.person()
  const json = {
    agent_name: 'A',
    model_name: 'm',
    api_key: key,
    white_box_config: { github_token: gitToken },
  }
  const ignored = { unknown: hatch(), apiKey: hatch(), github_token: hatch() }
  const created = await send(
    ...(['a creation', 'POST', COLLECTION] as const),
    { token: owner, json: { ...json, ...ignored } },
    [key, gitToken],
  )
  assert.equal(created.status, 201, created.text)
  const { id } = created.body
  const path = `${COLLECTION}/${id}`
  const ask = (name: string, method: string, rest = '', options: RequestOptions = {}, may: string[] = []) =>
    send(name, method, path + rest, { token: owner, ...options }, may)
  const put = (name: string, body: object, may: string[] = []) => ask(name, 'PUT', '', { json: body }, may)

  await put('a new key', { api_key: nextKey, ...ignored }, [nextKey])
  await put('a new token', { white_box_config: { repo_url: 'r', github_token: nextToken } }, [nextToken])
  await put('the same key again', { api_key: nextKey, purpose: 'x' }, [nextKey])
  for (const [name, value] of [
    ['crm', named],
    ['crm', nextNamed],
    ['crm', nextNamed],
    ['lost', lost],
  ] as const) {
    const stored = await ask('a named secret', 'PUT', `/secrets/${name}`, { json: { value, ...ignored } })
    assert.equal(stored.status, 200, stored.text)
  }
  assert.equal((await ask('a deleted secret', 'DELETE', '/secrets/lost')).status, 204)
  await put('a reference', { mcp_config: { headers: { Authorization: { $secret: 'crm' } } } })
  assert.equal((await ask('a secret in use', 'DELETE', '/secrets/crm')).status, 409)
  const { body: masked } = await ask('a read', 'GET')
  const putBack = await put('a masked agent put back', { ...masked, purpose: 'y' })
  assert.equal(putBack.status, 200, putBack.text)
  for (const rest of [
    '?revision=1',
    '/revisions',
    '/revisions/1',
    '/revisions/2/diff',
    '/revisions/3/diff?against=1',
    '/revisions/5/diff?against=1',
    '/secret-names',
    '/evaluations',
    `/compare?with=${id}&revision=1`,
  ]) {
    assert.equal((await ask(`GET ${rest}`, 'GET', rest)).status, 200)
  }
  assert.equal((await ask('a restore', 'POST', '/revisions/1/restore')).status, 200)
  const copy = await ask('a clone', 'POST', '/clone', { json: { ...ignored } })
  assert.equal(copy.status, 201, copy.text)
  await ask('a comparison', 'GET', `/compare?with=${copy.body.id}`)
  const shown = await ask('secrets', 'GET', '/secrets', {}, [nextKey, nextToken, nextNamed])
  assert.deepEqual(shown.body, {
    api_key: nextKey,
    white_box_config: { github_token: nextToken },
    secrets: { crm: nextNamed },
  })
  await ask('HEAD of secrets', 'HEAD', '/secrets')
  const redaction = { json: { fields: ['white_box_config'] } }
  assert.equal((await ask('a redaction', 'POST', '/revisions/1/redact', redaction)).status, 204)
  assert.equal((await ask('a deletion', 'DELETE')).status, 204)
  assert.equal((await ask('a recovery', 'POST', '/recover')).status, 200)
  await send('the audit', 'GET', `/v1/audit-events?agent_id=${id}`, { token: owner })

  const { token: reader } = await running.person({ team, scope: 'agent:read' })
  for (const { name, method, path, status, ...options } of refusedRequests(id, hatch, {
    ...{ all: owner, reader, otherTeam: token },
  })) {
    const reply = await send(name, method, path, options)
    assert.equal(reply.status, status, `${name}: ${reply.text}`)
  }
  return { id, team, secrets: [nextKey, nextToken, nextNamed] }
}

/** PostgreSQL quotes the row that breaks a rule, in its answer and in its own log. */
async function failInTheDatabase(
  { flock, running, send }: Scene,
  asOwner: Client,
  { id, team }: { id: string; team: string },
): Promise<void> {
  await asOwner.query(`ALTER TABLE agents ADD CONSTRAINT no_more CHECK (revision < 0) NOT VALID`)
  const { token } = await running.person({ team })
  const json = { api_key: flock.hatch(), white_box_config: { github_token: flock.hatch() } }
  const reply = await send('a broken rule', 'PUT', `${COLLECTION}/${id}`, { token, json })
  assert.equal(reply.status, 500)
  await asOwner.query(`ALTER TABLE agents DROP CONSTRAINT no_more`)
}

/** Returns all rows and the dump as text. */
async function searchDatabase(scene: Scene, asOwner: Client): Promise<{ rows: string; dump: string }> {
  const { rows: tables } = await asOwner.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  let all = ''
  for (const { tablename } of tables) {
    const { rows } = await asOwner.query(`SELECT string_agg(t::text, E'\\n') AS text FROM ${tablename} t`)
    const text = rows[0].text ?? ''
    const search = ['agents', 'agent_secrets'].includes(tablename) ? look : lookForSealed
    search(scene, `the table ${tablename}`, text)
    all += `${text}\n`
  }
  const { stdout } = await run(join(scene.postgres.bin, 'pg_dump'), [scene.postgres.url], {
    maxBuffer: 1024 ** 3,
  })
  assert.match(stdout, /COPY public\.agents /)
  look(scene, 'pg_dump', stdout)
  await asOwner.query('CHECKPOINT')
  await asOwner.query('SELECT pg_switch_wal()')
  return { rows: all, dump: stdout }
}

/** Every file of the server: tables, write-ahead log, and its own log. */
function searchFiles(scene: Scene): string {
  const { folder } = scene.postgres
  const files = globSync('**', { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile())
  const wal = files.filter((file) => /^data\/pg_wal\/[0-9A-F]{24}$/.test(file))
  assert.ok(wal.length > 0)
  let bytes = 0
  for (const file of files) {
    const content = readFileSync(join(folder, file))
    bytes += content.length
    look(scene, `the file ${file}`, content)
  }
  return `${files.length} files of ${Math.round(bytes / 1e6)} MB (${wal.length} of the write-ahead log)`
}
