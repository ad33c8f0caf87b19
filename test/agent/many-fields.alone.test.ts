import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { CHANGEABLE_COLUMNS, SETTABLE_COLUMNS } from '../../src/agent/columns.ts'
import { Agent, AgentUpdate } from '../../src/agent/schema.ts'

/** More than a bit mask of 32 bits could hold, together with the fields there are. */
const FIELDS = Array.from({ length: 20 }, (_, n) => `temporary_${n}`)

// What src/agent/fields.ts makes of a row of SETTABLE_FIELDS. The console is imported afterwards, and builds its statements from them.
for (const name of FIELDS) {
  const schema = Type.Optional(Type.Union([Type.String(), Type.Null()]))
  Object.assign(AgentUpdate.properties, { [name]: schema })
  Object.assign(Agent.properties, { [name]: schema })
  for (const columns of [SETTABLE_COLUMNS, CHANGEABLE_COLUMNS]) {
    ;(columns as unknown as object[]).push({ name, schema, type: 'text' })
  }
}
/** The fields that take any text. */
const TEXTS = SETTABLE_COLUMNS.filter(
  ({ name, type }) =>
    type === 'text' && !['status', 'access_level', 'protocol', 'protection_status'].includes(name),
).map(({ name }) => name as keyof Agent)
const { useConsole } = await import('../support/console.ts')
const { createAgent, getAgent, putAgent } = await import('../support/agents.ts')

describe('an agent with more than 32 fields', async () => {
  const running = await useConsole()
  const person = await running.person()
  await running.database.query(
    `ALTER TABLE agents ${FIELDS.map((name) => `ADD COLUMN ${name} text`).join(', ')}`,
  )
  const bytes = async (id: string) => {
    const [row] = await running.database.query('SELECT bytes FROM agents WHERE id = $1', [id])
    return row?.['bytes'] as number
  }

  it('has more than 32 settable columns', () => {
    assert.ok(SETTABLE_COLUMNS.length > 32)
  })

  it('makes a revision for a change of each field, and none for the same value', async () => {
    const { id } = await createAgent(running, person)
    for (const [index, name] of FIELDS.entries()) {
      const changed = await putAgent(running, person, id, { [name]: `value ${index}` })
      assert.equal(changed.headers.get('etag'), `"${index + 2}"`, name)
      const same = await putAgent(running, person, id, { [name]: `value ${index}` })
      assert.equal(same.headers.get('etag'), `"${index + 2}"`, name)
    }
    const { body } = await getAgent(running, person, id)
    for (const [index, name] of FIELDS.entries()) {
      assert.equal(body[name as keyof Agent], `value ${index}`)
      const cleared = await putAgent(running, person, id, { [name]: null })
      assert.equal(cleared.body[name as keyof Agent], null)
    }
  })

  it('keeps every field that an update does not supply', async () => {
    const { id } = await createAgent(running, person, {
      purpose: 'kept',
      agent_url: 'kept',
      agent_params: {},
    })
    for (const name of FIELDS) {
      const { body } = await putAgent(running, person, id, { [name]: 'set' })
      assert.deepEqual([body.purpose, body.agent_url, body.agent_params], ['kept', 'kept', {}], name)
    }
  })

  it('counts every text towards the size of the agent', async () => {
    const { id } = await createAgent(running, person)
    for (const name of TEXTS) {
      const [before, { body }] = [await bytes(id), await getAgent(running, person, id)]
      const reply = await putAgent(running, person, id, { [name]: 'é'.repeat(100) })
      assert.equal(reply.status, 200, reply.text)
      const replaced = body[name] as string | null
      assert.equal(await bytes(id), before - Buffer.byteLength(replaced ?? '') + 200, name)
    }
  })

  it('is refused when its new fields make it too large', async () => {
    const { id } = await createAgent(running, person)
    const large = 'x'.repeat(200_000)
    const statuses = []
    for (const name of FIELDS.slice(0, 3)) {
      statuses.push((await putAgent(running, person, id, { [name]: large })).status)
    }
    assert.deepEqual(statuses, [200, 200, 413])
  })
})
