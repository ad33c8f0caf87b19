import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Agent } from '../../src/contract/agent.ts'
import { COLLECTION, getAgent, putAgent } from '../support/agents.ts'
import { type Person, startConsole, type TestConsole } from '../support/console.ts'

describe('the examples of the document', () => {
  let running: TestConsole
  let person: Person
  let examples: (name: string) => object

  before(async () => {
    running = await startConsole()
    person = await running.person()
    const { body } = await running.request('GET', '/openapi.json')
    examples = (name) => body.components.schemas[name].examples[0]
  })
  after(() => running.close())

  it('are accepted, and lead to the agent they show', async () => {
    const created = await running.request<Agent>('POST', COLLECTION, {
      token: person.token,
      json: examples('AgentCreate'),
    })
    assert.equal(created.status, 201, created.text)
    const updated = await putAgent(running, person, created.body.id, examples('AgentUpdate'))
    assert.equal(updated.status, 200, updated.text)
    const { body } = await getAgent(running, person, created.body.id)
    const { id, team_id, created_by, created_at, updated_at } = body
    assert.deepEqual(body, { ...examples('Agent'), id, team_id, created_by, created_at, updated_at })
  })
})
