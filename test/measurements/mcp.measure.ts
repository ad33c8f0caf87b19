import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { rpc } from '../support/mcp.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'

const SEARCHES = sized(300, 2_000)
const WARM_UP = 100
const AGENTS = 200
const MAX_DIFFERENCE_MS = 10

describe('a search through MCP', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { token } = person
  for (let index = 0; index < AGENTS; index++) {
    await createAgent(running, person, { agent_name: `Agent ${index}` })
  }

  it(`takes at most ${MAX_DIFFERENCE_MS} ms longer than through the API, at the median`, async (t) => {
    const fields = [
      ...['id', 'agent_name', 'model_name', 'status', 'trust_stage', 'protection_status', 'updated_at'],
      'latest_evaluation',
    ]
    const query = fields.map((name) => `fields=${name}`).join('&')
    const path = `${COLLECTION}?q=agent%201&limit=20&include_scores=true&${query}`
    const search = { name: 'search_agents', arguments: { q: 'agent 1', limit: 20 } }
    const legacy = {
      ...{ token, headers: { accept: 'application/json, text/event-stream' } },
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: search },
    }
    const ways = {
      api: () => running.request('GET', path, { token }),
      '2026-07-28': () => rpc(running, 'tools/call', search, { token }),
      '2025-11-25': () => running.request('POST', '/mcp', legacy),
    }
    const times: Record<keyof typeof ways, number[]> = { api: [], '2026-07-28': [], '2025-11-25': [] }
    // In turns, so that what else the machine does falls on all of them.
    for (let round = 0; round < WARM_UP + SEARCHES; round++) {
      for (const [way, send] of Object.entries(ways) as [keyof typeof ways, (typeof ways)['api']][]) {
        const start = performance.now()
        const { status, text } = await send()
        const ms = performance.now() - start
        assert.equal(status, 200, text)
        assert.match(text, /Agent 1/)
        if (round >= WARM_UP) times[way].push(ms)
      }
    }
    const median = (way: keyof typeof ways) => quantile(times[way], 0.5)
    for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
      t.diagnostic(
        `${way}: p50 ${median(way).toFixed(2)} ms, p99 ${quantile(times[way], 0.99).toFixed(2)} ms, ` +
          `least ${Math.min(...times[way]).toFixed(2)} ms`,
      )
    }
    for (const way of ['2026-07-28', '2025-11-25'] as const) {
      const difference = median(way) - median('api')
      assert.ok(difference < MAX_DIFFERENCE_MS * SLACK, `${way}: ${difference.toFixed(2)} ms longer`)
    }
  })
})
