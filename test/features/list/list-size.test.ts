import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import { COLLECTION, createAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'

const MIB = 1024 * 1024

describe('the size of a page', async () => {
  const running = await useConsole()
  const person = await running.person()
  const large: string[] = []
  // A value that compresses well takes little space in the table, and its whole size in a response.
  for (let n = 0; n < 20; n++) {
    const agent_params = { unknown: 'x'.repeat(450_000) }
    large.push((await createAgent(running, person, { agent_name: `Large ${n}`, agent_params })).id)
  }

  /** All pages one after the other, each as its size and its agents. */
  const pages = async (query: string) => {
    const found: { bytes: number; ids: string[] }[] = []
    let cursor = ''
    do {
      const path = `${COLLECTION}?${query}${cursor && `&cursor=${cursor}`}`
      const { status, text } = await running.request('GET', path, { token: person.token })
      assert.equal(status, 200, text)
      const page = JSON.parse(text) as { results: Agent[]; next_cursor: string | null }
      found.push({ bytes: text.length, ids: page.results.map(({ id }) => id) })
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    return found
  }

  it('is bounded: one of large agents ends early, and the next goes on behind it', async () => {
    for (const query of ['', 'sort=agent_name', 'q=large', 'q=arge+1', 'limit=500&include_scores=1']) {
      const found = await pages(query)
      const ids = found.flatMap((page) => page.ids)
      assert.equal(new Set(ids).size, ids.length, query)
      assert.equal(ids.length, query === 'q=arge+1' ? 11 : large.length, query)
      assert.deepEqual(
        found.slice(0, -1).map((page) => page.ids.length),
        found.slice(0, -1).map(() => 4),
        query,
      )
      for (const { bytes } of found) assert.ok(bytes < 2.1 * MIB, `${query}: ${bytes}`)
    }
  })

  it('leaves a page that ends with its limit as it was', async () => {
    const found = await pages('limit=4&sort=created_at')
    assert.deepEqual(
      found.map((page) => page.ids),
      [0, 4, 8, 12, 16].map((start) => large.slice(start, start + 4)),
    )
  })

  it('counts what `fields` chooses: small fields of large agents fill a page', async () => {
    assert.equal((await pages('fields=agent_name&fields=status')).length, 1)
    assert.equal((await pages('fields=agent_name&fields=agent_params')).length, 5)
  })

  it('is counted from what the agents are now', async () => {
    for (const id of large.slice(2)) {
      await running.request('PUT', `${COLLECTION}/${id}`, {
        token: person.token,
        json: { agent_params: null },
      })
    }
    assert.equal((await pages('')).length, 1)
    const json = { evaluation_id: large[2], revision: 2, report: 'x'.repeat(500_000) }
    for (const id of large.slice(2)) {
      const path = `${COLLECTION}/${id}/latest-evaluation`
      await running.request('PUT', path, { token: person.token, json })
    }
    const [first] = await pages('include_scores=true')
    assert.equal(first?.ids.length, 4)
  })
})
