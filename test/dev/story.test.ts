import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { CAMPAIGNS } from '../../dev/story/attacks.ts'
import { HARNESSES } from '../../dev/story/environment.ts'
import { evaluationsOf, STORY_AGENTS, timeOf } from '../../dev/story/fleet.ts'
import { WATCHED_AGENTS } from '../../dev/story/guarding.ts'
import { fetchPatiently } from '../../dev/story/seed.ts'

const NOW = 1_790_000_000

describe('the story of the demonstration', () => {
  it('has each agent once, and knows every agent that it names', () => {
    const keys = STORY_AGENTS.map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length)
    const named = [
      ...WATCHED_AGENTS,
      ...CAMPAIGNS.flatMap(({ targets, findings }) => [...targets, ...findings.map(({ agent }) => agent)]),
    ]
    assert.deepEqual(
      named.filter((key) => !keys.includes(key)),
      [],
    )
  })

  it('happens in the order in which it is told', () => {
    for (const { key, createdDaysAgo, events } of STORY_AGENTS) {
      const times = [createdDaysAgo, ...events.map(({ daysAgo }) => daysAgo)].map((daysAgo, index) =>
        timeOf(NOW, daysAgo, `${key}/${index}`),
      )
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
        key,
      )
      assert.ok(times.every((time) => time <= NOW))
    }
  })

  it('evaluates by harnesses that exist, and a revision that the agent had', () => {
    const harnesses = HARNESSES.map(({ name }) => name)
    for (const agent of STORY_AGENTS) {
      const revisions = 1 + agent.events.filter((event) => !('harness' in event)).length
      for (const { harness, revision } of evaluationsOf('team', NOW, agent)) {
        assert.ok(harnesses.includes(harness))
        assert.ok(revision <= revisions)
      }
    }
  })
})

it('a request of the story that a busy console refuses is repeated', async (t) => {
  const statuses = [429, 503, 200]
  const server = createServer((_request, response) => {
    const status = statuses.shift() ?? 500
    response.writeHead(status, status === 200 ? {} : { 'retry-after': '0' }).end()
  })
  t.after(() => server.close())
  const port = await onFreePort(async (free) => {
    server.listen(free, '127.0.0.1')
    await once(server, 'listening')
  })
  assert.equal((await fetchPatiently(`http://127.0.0.1:${port}/`, {})).status, 200)
})
