import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { startConsole } from '../support/console.ts'
import { createTestDatabase } from '../support/database.ts'
import { documentedGrants } from '../support/documented-grants.ts'

const TEN_MINUTES_MS = 600_000

describe('a console with the documented role', async () => {
  const database = await createTestDatabase()
  const role = `console_clock_${process.pid}`
  await database.query(`CREATE ROLE ${role} LOGIN; ${documentedGrants(role)}`)
  const url = new URL(database.url)
  url.username = role
  let offMs = 0
  const running = await startConsole({
    environment: { DATABASE_URL: url.toString() },
    overrides: { now: () => Date.now() + offMs },
  })
  after(async () => {
    await running.close()
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await database.drop()
  })
  const person = await running.person()
  const { id } = await createAgent(running, person)

  it('makes changes if its clock is ahead of that of PostgreSQL', async () => {
    offMs = TEN_MINUTES_MS
    assert.equal((await putAgent(running, person, id, { purpose: 'ahead' })).status, 200)
  })

  it('refuses a change with 503 if its clock is behind, and changes nothing', async () => {
    const { id: other } = await createAgent(running, person)
    offMs = -TEN_MINUTES_MS
    const before = await getAgent(running, person, other)
    const reply = await running.request('POST', '/v1/agent-configurations', {
      token: person.token,
      json: { agent_name: 'late', model_name: 'model' },
    })
    assert.equal(reply.status, 503, reply.text)
    assert.equal(codeOf(reply), 'database_unavailable')
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await getAgent(running, person, other)).text, before.text)
  })

  it('reports a missing privilege as a defect', async () => {
    offMs = 0
    await database.query(`REVOKE UPDATE ON agents FROM ${role}`)
    assert.equal((await putAgent(running, person, id, { purpose: 'not granted' })).status, 500)
  })
})
