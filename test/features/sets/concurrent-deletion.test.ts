import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, codeOf, getAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import { onServer } from '../../support/on-server.ts'
import { useSet } from '../../support/sets-scene.ts'
import { until } from '../../support/until.ts'
import { waitingForLock } from '../../support/waiting-for-lock.ts'

describe('a set that takes an agent', async () => {
  const running = await useConsole()
  const { database } = running
  const person = await running.person()
  const send = (method: string, path: string) =>
    running.request(method, `${COLLECTION}/${path}`, { token: person.token })

  it('changes nothing if another request deletes the agent first, and a third one recovers it', async () => {
    const owner = useSet(running, person, 'owner')
    const { id } = (await owner.apply('agent', { spec: { agent_name: 'Agent', model_name: 'm' } })).body.agent
    const waiting = (number: number) =>
      until(`${number} wait for a lock`, async () => (await waitingForLock(database)).length === number)

    const replies = await onServer(database.url, async (ownership) => {
      await ownership.query('BEGIN')
      await ownership.query('SELECT FROM managed_agents FOR UPDATE')
      const { deleted, taken } = await onServer(database.url, async (agent) => {
        await agent.query('BEGIN')
        await agent.query('SELECT FROM agents FOR UPDATE')
        const deletion = send('DELETE', id)
        await waiting(1)
        const taking = useSet(running, person, 'second').apply('agent', {
          spec: { purpose: 'Taken' },
          adopt: id,
        })
        await waiting(2)
        await agent.query('COMMIT')
        return { deleted: await deletion, taken: taking }
      })
      const recovered = await send('POST', `${id}/recover`)
      await ownership.query('COMMIT')
      return { deleted, recovered, taken: await taken }
    })

    assert.deepEqual([replies.deleted.status, replies.recovered.status], [204, 200])
    assert.deepEqual([replies.taken.status, codeOf(replies.taken)], [404, 'agent_not_found'])
    assert.equal((await getAgent(running, person, id)).body.purpose, null)
  })
})
