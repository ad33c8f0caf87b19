import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { startConsole } from '../support/console.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'

/** A server that logs all that it can about a statement that fails. */
const SETTINGS = [
  'log_min_messages=info',
  'log_min_error_statement=info',
  'log_error_verbosity=verbose',
  'log_parameter_max_length_on_error=-1',
]

describe('the log of PostgreSQL', async () => {
  const postgres = await startPrivatePostgres({ settings: SETTINGS })
  await migrate(postgres.url, () => {})
  const running = await startConsole({
    environment: { DATABASE_URL: postgres.url },
    limits: { lockTimeoutMs: 50 },
  })
  const owner = new Client({ connectionString: postgres.url })
  await owner.connect()
  closeAfter(async () => {
    await owner.end()
    await running.close()
    await postgres.remove()
  })
  const person = await running.person()
  const marker = `c${randomBytes(8).toString('hex')}`
  const log = () => readFileSync(join(postgres.folder, 'log'), 'utf8')
  const ask = (method: string, path: string, json?: unknown, headers = {}) =>
    running.request(method, COLLECTION + path, { token: person.token, json, headers })

  it('has no value of an agent that is too large, too long or not what a column takes', async () => {
    const { id } = await createAgent(running, person, { agent_url: `https://host/?key=${marker}` })
    const prompt = marker + 'x'.repeat(260_000)
    const large = marker + 'x'.repeat(300_000)
    const statuses = new Map<string, number>()
    const attempt = async (name: string, reply: Promise<{ status: number }>) =>
      statuses.set(name, (await reply).status)

    await attempt('fits', ask('PUT', `/${id}`, { agent_system_prompt: prompt }))
    await attempt('too large', ask('PUT', `/${id}`, { agent_params: { large } }))
    await attempt('made room', ask('PUT', `/${id}`, { agent_system_prompt: null, agent_params: { large } }))
    await attempt('restored', ask('POST', `/${id}/revisions/2/restore`))
    const evaluation = { evaluation_id: id, revision: 1, report: large }
    await attempt('too large scores', ask('PUT', `/${id}/latest-evaluation`, evaluation))
    const create = (json: object, headers = {}) =>
      ask('POST', '', { agent_name: marker, model_name: marker, ...json }, headers)
    await attempt('created too large', create({ agent_system_prompt: prompt, agent_params: { large } }))
    // The largest that an index takes.
    const longest = marker + '😀'.repeat(255 - marker.length)
    await attempt('long name', create({ agent_name: longest, hub: longest, last_tested_by: longest }))
    await attempt('long key', create({}, { 'idempotency-key': marker.padEnd(255, 'k') }))
    await attempt('nulls', create({ hub: null, import_metadata: null, skills: null, delegated_agents: null }))
    await attempt('nul', create({ purpose: `${marker}\0` }))
    await attempt('nested nul', create({ agent_params: { [`${marker}\0`]: 1 } }))
    await attempt('surrogate', create({ purpose: `${marker}\ud800` }))
    await attempt('rate', create({ rate_limit_requests_per_minute: 0 }))
    await attempt('long score', create({ test_score: '9'.repeat(200_000), purpose: marker }))
    await attempt('small score', create({ test_score: `0.${'0'.repeat(900)}1`, purpose: marker }))
    await attempt('seconds', create({ last_evaluated_at: Number.MAX_SAFE_INTEGER, purpose: marker }))
    await attempt('secret', ask('PUT', `/${id}/secrets/crm`, { value: '😀'.repeat(8_192) }))

    assert.deepEqual(Object.fromEntries(statuses), {
      fits: 200,
      'too large': 413,
      'made room': 200,
      restored: 200,
      'too large scores': 413,
      'created too large': 413,
      'long name': 201,
      'long key': 201,
      nulls: 201,
      nul: 422,
      'nested nul': 422,
      surrogate: 422,
      rate: 422,
      'long score': 422,
      'small score': 422,
      seconds: 201,
      secret: 200,
    })
    assert.ok(!log().includes(marker))
    assert.ok(!/ERROR|Failing row/.test(log()), log())
  })

  it('has no value of a statement that fails, even if the server logs parameters', async () => {
    const { id } = await createAgent(running, person)
    await owner.query('BEGIN')
    await owner.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [id])
    const reply = await putAgent(running, person, id, { purpose: marker, api_key: marker })
    await owner.query('ROLLBACK')
    assert.equal(reply.status, 503)
    assert.match(log(), /canceling statement due to lock timeout/)
    assert.match(log(), /STATEMENT: .*UPDATE agents SET/s)
    assert.ok(!log().includes(marker))
    // The server does log them, where nothing forbids it.
    await assert.rejects(owner.query('SELECT $1::text, 1 / $2::int', [marker, 0]))
    assert.ok(log().includes(marker))
  })
})
