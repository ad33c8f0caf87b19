import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { addProbes } from './probe.ts'

const UUID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

const simple = (id: string) => id.replaceAll('-', '')

const ACCEPTED: ((id: string) => string)[] = [
  (id) => id,
  (id) => id.toUpperCase(),
  simple,
  (id) => simple(id).toUpperCase(),
  (id) => `urn:uuid:${id}`,
  (id) => `urn:uuid:${id.toUpperCase()}`,
  (id) => `{${id}}`,
  (id) => `{${id.toUpperCase()}}`,
]

const REFUSED = [
  `{${simple(UUID)}}`,
  `urn:uuid:${simple(UUID)}`,
  `URN:UUID:${UUID}`,
  `urn:uuid:{${UUID}}`,
  ` ${UUID}`,
  `${UUID} `,
  `{${UUID}`,
  `${UUID}}`,
  `(${UUID})`,
  UUID.replace('3', '３'),
  UUID.replace('-', '–'),
  '-'.repeat(36),
  `${UUID}\0`,
]

describe('a UUID', async () => {
  const running = await useConsole({ extend: addProbes })
  const person = await running.person()

  it('is accepted in each spelling, in path, query and body, and normalised', async () => {
    const { id } = await createAgent(running, person)
    for (const spell of ACCEPTED) {
      const query = await running.request('GET', `/probe?id=${encodeURIComponent(spell(UUID))}`)
      assert.deepEqual(query.body, { id: UUID }, spell(UUID))
      const reply = await running.request('PUT', `${COLLECTION}/${encodeURIComponent(spell(id))}`, {
        token: person.token,
        json: { guard_config_id: spell(UUID) },
      })
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.id, id)
      assert.equal(reply.body.guard_config_id, UUID)
    }
    const nil = '00000000-0000-0000-0000-000000000000'
    assert.deepEqual((await running.request('GET', `/probe?id=${nil}`)).body, { id: nil })
  })

  it('is refused in any other', async () => {
    const { id } = await createAgent(running, person)
    const { token } = person
    for (const spelling of REFUSED) {
      const encoded = encodeURIComponent(spelling)
      const replies = [
        await running.request('GET', `/probe?id=${encoded}`),
        await running.request('GET', `${COLLECTION}/${encoded}`, { token }),
        await running.request('PUT', `${COLLECTION}/${id}`, { token, json: { guard_config_id: spelling } }),
      ]
      for (const reply of replies) {
        assert.equal(reply.status, 422, `${spelling}: ${reply.text}`)
        assert.equal(reply.body.detail.length, 1)
        assert.equal(reply.body.detail[0].type, 'uuid_parsing')
      }
    }
  })
})
