import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import type { AgentPage } from '../../../src/features/list/schema.ts'
import { COLLECTION } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import { sized } from '../../support/sized.ts'
import { makeVariedAgents, matches, PAIRS, SINGLES, sorted, toQuery } from '../../support/varied-agents.ts'

/** Of the orders of a filter, and of the pairs of filters. */
const STEP = sized(6, 1)
const SORTS = ['-created_at', 'created_at', 'agent_name', '-agent_name', 'score', '-score']

describe('the filters of the list', async () => {
  const running = await useConsole()
  const person = await running.person()
  const agents = await makeVariedAgents(running, person, 120)
  await makeVariedAgents(running, await running.person(), 30)

  const list = async (query: string) => {
    const reply = await running.request<AgentPage>('GET', `${COLLECTION}?${query}`, { token: person.token })
    assert.equal(reply.status, 200, `${query} ${reply.text}`)
    return reply.body
  }
  const all = async (query: string, limit: number) => {
    const results: Agent[] = []
    let cursor: string | null = null
    do {
      const page = await list(`${query}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
      results.push(...page.results)
      cursor = page.next_cursor
    } while (cursor !== null)
    return results
  }
  const ids = (found: Agent[]) => found.map(({ id }) => id)

  it('return what a plain comparison returns: each filter by itself, in pages', async () => {
    for (const [n, filter] of SINGLES.entries()) {
      const expected = agents.filter((agent) => matches(agent, filter))
      for (const sort of SORTS.filter((_, m) => (n + m) % STEP === 0)) {
        const query = `${toQuery(filter)}&sort=${sort}`
        assert.deepEqual(ids(await all(query, 7)), ids(sorted(expected, sort)), query)
      }
    }
  })

  it('return what a plain comparison returns: each two together, and count it', async () => {
    for (const [n, filter] of PAIRS.entries()) {
      if (n % STEP !== 0) continue
      const expected = agents.filter((agent) => matches(agent, filter))
      const sort = SORTS[Math.floor(n / STEP) % SORTS.length] as string
      const page = await list(`${toQuery(filter)}&sort=${sort}&limit=500&include_count=true`)
      assert.deepEqual(ids(page.results), ids(sorted(expected, sort)), toQuery(filter))
      assert.equal(page.count, expected.length, toQuery(filter))
    }
  })
})
