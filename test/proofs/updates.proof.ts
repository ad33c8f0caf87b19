import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole, useReplica } from '../support/console.ts'
import { sized } from '../support/sized.ts'

const UPDATES = sized(1_000, 20_000)
const WRITERS = 32
const AGENTS = 12
const FIELDS = [
  'agent_name',
  'model_name',
  'agent_url',
  'purpose',
  'hub',
  'last_tested_by',
  'agent_system_prompt',
] as const

interface Acknowledged {
  id: string
  field: (typeof FIELDS)[number]
  value: string
  revision: number
}

interface Revision {
  revision: number
  fields: string[]
  before: Record<string, unknown>
}

describe(`${WRITERS} writers of the same agents at two replicas`, async () => {
  const running = await useConsole()
  const replicas = [running, await useReplica(running)]
  const replicaOf = (n: number) => replicas[Math.floor(n / AGENTS) % 2] as typeof running
  const person = await running.person()

  let ids: string[]

  const history = (id: string) =>
    running.database.query<Revision & Record<string, unknown>>(
      'SELECT revision::int, fields, before FROM agent_revisions WHERE agent_id = $1 ORDER BY revision',
      [id],
    )
  /** Every writer in turn, until so many updates are made. */
  const write = async (one: (n: number) => Promise<void>) => {
    let next = 0
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (next < UPDATES) await one(next++)
      }),
    )
  }

  it('lose no update of different fields: each is there, or was replaced by a later one', async (t) => {
    ids = await Promise.all(
      Array.from({ length: AGENTS }, async () => (await createAgent(running, person)).id),
    )
    const acknowledged: Acknowledged[] = []
    await write(async (n) => {
      const id = ids[n % AGENTS] as string
      const field = FIELDS[Math.floor(Math.random() * FIELDS.length)] as (typeof FIELDS)[number]
      const reply = await putAgent(replicaOf(n), person, id, { [field]: `value ${n}` })
      assert.equal(reply.status, 200, reply.text)
      acknowledged.push({ id, field, value: `value ${n}`, revision: revisionOf(reply.headers) })
    })
    assert.equal(acknowledged.length, UPDATES)
    for (const id of ids) {
      const revisions = await history(id)
      const now = (await getAgent(running, person, id)).body
      const own = acknowledged.filter((update) => update.id === id)
      assert.equal(revisions.length, own.length + 1, 'one revision for each update, and none besides')
      for (const { field, value, revision } of own) {
        assert.deepEqual(revisions[revision - 1]?.fields, [field])
        const replacedBy = revisions.slice(revision).find(({ fields }) => fields.includes(field))
        assert.equal(replacedBy ? replacedBy.before[field] : now[field], value)
      }
    }
    t.diagnostic(`${UPDATES} updates of ${AGENTS} agents by ${WRITERS} writers: all accounted for`)
  })

  it('with If-Match change only the revision they have seen', async (t) => {
    ids = await Promise.all(
      Array.from({ length: AGENTS }, async () => (await createAgent(running, person)).id),
    )
    const succeeded: { id: string; saw: number; made: number }[] = []
    let refused = 0
    await write(async (n) => {
      const id = ids[n % AGENTS] as string
      const saw = revisionOf((await getAgent(running, person, id)).headers)
      const reply = await putAgent(
        replicaOf(n),
        person,
        id,
        { purpose: `value ${n}` },
        { 'if-match': `"${saw}"` },
      )
      if (reply.status === 200) succeeded.push({ id, saw, made: revisionOf(reply.headers) })
      else if (reply.status === 412) refused++
      else assert.fail(reply.text)
    })
    for (const { saw, made } of succeeded) assert.equal(made, saw + 1)
    for (const id of ids) {
      const made = succeeded.filter((update) => update.id === id).map((update) => update.made)
      assert.equal(new Set(made).size, made.length)
      assert.equal((await history(id)).length, made.length + 1)
    }
    t.diagnostic(`${succeeded.length} succeeded, ${refused} had not seen the newest revision`)
  })
})

function revisionOf(headers: Headers): number {
  return Number(/^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1])
}
