import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AGENT_STATUSES, PROTECTION_STATUSES, TRUST_STAGES } from '../../src/contract/agent.ts'
import { AGENT_SORTS } from '../../src/contract/list.ts'
import { type RunningConsole, startConsoleProcess } from '../acceptance/processes.ts'
import { openFleet } from '../proofs/fleet.ts'
import { quantile, SLACK, timed } from '../proofs/timing.ts'

/** `npm run measure:list` takes ten million. */
const AGENTS = Number(process.env['LIST_AGENTS'] ?? 100_000)
const SAMPLES = Number(process.env['LIST_SAMPLES'] ?? 40)

/** Parts of names: what most have, what one in ten thousand has, what none has, and what is too short to look up. */
const SEARCHES = ['agent', 'zanzibar', 'qqqq', 'an']

const FILTERS: Record<string, readonly string[]> = {
  statuses: AGENT_STATUSES,
  trust_stages: TRUST_STAGES,
  protection_statuses: PROTECTION_STATUSES,
  q: SEARCHES,
}
const SINGLES = [
  '',
  ...Object.entries(FILTERS).flatMap(([name, values]) => values.map((value) => `${name}=${value}`)),
]

describe(`a list in a fleet of ${AGENTS}`, () => {
  let running: RunningConsole
  let headers: Record<string, string>
  let close: () => Promise<void>

  const list = async (query: string) => {
    const reply = await fetch(`${running.url}/v1/agent-configurations?include_scores=true&${query}`, {
      headers,
    })
    const text = await reply.text()
    assert.equal(reply.status, 200, text)
    // Parsing a page is its reader's time, not the console's.
    return () => (JSON.parse(text) as { next_cursor: string | null }).next_cursor
  }
  /** The slowest of the cases, by its p95, and that figure. In turns, so that a pause of the machine falls on all of
   * them and not on whichever is being measured. */
  const slowest = async (queries: string[]) => {
    const times = new Map<string, number[]>(queries.map((query) => [query, []]))
    for (let sample = 0; sample < SAMPLES; sample++) {
      for (const [query, taken] of times) taken.push(...(await timed(1, () => list(query))))
    }
    const byCase = [...times].map(([query, taken]) => ({ query, p95: quantile(taken, 0.95) }))
    return byCase.reduce((worst, one) => (one.p95 > worst.p95 ? one : worst))
  }

  before(async () => {
    const fleet = await openFleet(AGENTS, process.env['FLEET_URL'])
    running = await startConsoleProcess({ DATABASE_URL: fleet.url })
    headers = {
      authorization: `Bearer ${await running.token({ team: fleet.largestTeam })}`,
      // Decompression is the client's time, and the client shares the cores with the console.
      'accept-encoding': 'identity',
    }
    close = async () => {
      await running.close()
      await fleet.close()
    }
    // Connections and plans are part of a start, not of a page.
    for (let n = 0; n < 40; n++) await list('limit=100')
  })
  after(() => close())

  it('answers a page of 100 with scores in under 25 ms (p95), for each filter and each sort', async (t) => {
    const queries = SINGLES.flatMap((filter) => AGENT_SORTS.map((sort) => `${filter}&sort=${sort}&limit=100`))
    const { query, p95 } = await slowest(queries)
    t.diagnostic(`${queries.length} cases; the slowest, ${query}: p95 ${p95.toFixed(1)} ms`)
    assert.ok(p95 < 25 * SLACK, `${query}: ${p95} ms`)
  })

  it('answers a page far behind as quickly as the first', async (t) => {
    const far: string[] = []
    let pages = 1
    for (const sort of AGENT_SORTS) {
      let cursor = ''
      for (pages = 1; pages < 500; pages++) {
        const next = (await list(`sort=${sort}&limit=100${cursor}`))()
        if (next === null) break
        cursor = `&cursor=${next}`
      }
      far.push(`sort=${sort}&limit=100${cursor}`)
    }
    const { query, p95 } = await slowest(far)
    t.diagnostic(
      `page ${pages} of ${far.length} sorts; the slowest, ${query.slice(0, 20)}…: p95 ${p95.toFixed(1)} ms`,
    )
    assert.ok(p95 < 25 * SLACK, `${query}: ${p95} ms`)
  })

  it('answers any two filters together in under 100 ms (p95)', async (t) => {
    const names = Object.keys(FILTERS)
    const queries = names.flatMap((one, i) =>
      names.slice(i + 1).flatMap((other) =>
        // The most common and the rarest value of each.
        ends(FILTERS[one]).flatMap((a) =>
          ends(FILTERS[other]).map((b) => `${one}=${a}&${other}=${b}&limit=100`),
        ),
      ),
    )
    const { query, p95 } = await slowest(queries)
    t.diagnostic(`${queries.length} cases; the slowest, ${query}: p95 ${p95.toFixed(1)} ms`)
    assert.ok(p95 < 100 * SLACK, `${query}: ${p95} ms`)
  })
})

function ends(values: readonly string[] = []): string[] {
  const rarest: Record<string, string> = {
    draft: 'rejected',
    registered: 'adapted',
    unprotected: 'guarded',
    agent: 'zanzibar',
  }
  const [first = ''] = values
  return [first === 'draft' ? 'active' : first, rarest[first] ?? first]
}
