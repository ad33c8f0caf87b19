import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole, useReplica } from '../support/console.ts'

const FIELDS = ['agent_name', 'model_name', 'purpose', 'hub', 'agent_url', 'last_tested_by'] as const
const ROUNDS = 40

describe('writers at the same time', async () => {
  const running = await useConsole()
  const replicas = [running, await useReplica(running)]
  const replicaOf = (writer: number) => replicas[writer % 2] as typeof running
  const person = await running.person()

  it('who change different fields all win, and each change is one revision', async () => {
    const { id } = await createAgent(running, person)
    await Promise.all(
      FIELDS.map(async (field, writer) => {
        for (let round = 1; round <= ROUNDS; round++) {
          const reply = await putAgent(replicaOf(writer), person, id, { [field]: `${field} ${round}` })
          assert.equal(reply.body[field], `${field} ${round}`)
        }
      }),
    )
    const read = await getAgent(running, person, id)
    for (const field of FIELDS) assert.equal(read.body[field], `${field} ${ROUNDS}`)
    assert.equal(read.headers.get('etag'), `"${1 + FIELDS.length * ROUNDS}"`)
  })

  it('with If-Match never overwrite what they have not seen', async () => {
    const { id } = await createAgent(running, person, { purpose: '0' })
    let wins = 0
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < ROUNDS; round++) {
          const seen = await getAgent(running, person, id)
          const reply = await putAgent(
            replicaOf(writer),
            person,
            id,
            { purpose: String(Number(seen.body.purpose) + 1) },
            { 'if-match': seen.headers.get('etag') ?? '' },
          )
          assert.ok(reply.status === 200 || reply.status === 412)
          if (reply.status === 200) wins++
        }
      }),
    )
    assert.equal((await getAgent(running, person, id)).body.purpose, String(wins))
  })
})
