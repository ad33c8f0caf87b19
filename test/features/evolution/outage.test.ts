import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { migrate } from '../../../scripts/migrate.ts'
import { createAgent, getAgent } from '../../support/agents.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsole } from '../../support/console.ts'
import { startPrivatePostgres } from '../../support/private-postgres.ts'

describe('while the database is down', async () => {
  const postgres = await startPrivatePostgres()
  await migrate(postgres.url, () => {})
  const running = await useConsole({ environment: { DATABASE_URL: postgres.url } })
  closeAfter(() => postgres.remove())

  it('both operations of the evolution service work, agent operations return 503, and recover with it', async () => {
    const person = await running.person()
    const { id } = await createAgent(running, person)
    await postgres.stop()
    const status = await running.request('GET', `/v1/evolution/status/${randomUUID()}`, {
      token: person.token,
    })
    assert.equal(status.status, 200)
    const genome = await running.request('POST', '/v1/genomes/', { token: person.token, json: {} })
    assert.equal(genome.status, 200)
    const read = await getAgent(running, person, id)
    assert.equal(read.status, 503)
    assert.ok(read.headers.get('retry-after'))
    await postgres.start()
    assert.equal((await getAgent(running, person, id)).status, 200)
  })
})
