import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { explainList } from './explain-list.ts'
import { openFleet } from './fleet.ts'

/** 100,000 in CI; `npm run measure:list` takes ten million. */
const AGENTS = Number(process.env['LIST_AGENTS'] ?? 100_000)

/** A lookup stops when it has found more agents than it sorts. */
const MAX_FOUND = 1_001

describe(`the query plans of a list among ${AGENTS} agents`, async () => {
  const fleet = await openFleet(AGENTS, process.env['FLEET_URL'])
  after(() => fleet.close())

  it('never read the whole table, nor sort the whole team', async (t) => {
    const plans = await explainList(fleet.url, fleet.largestTeam)
    for (const { query, plan, widestSort, filterScans } of plans) {
      assert.ok(!plan.includes('Seq Scan on agents'), `${query}\n${plan}`)
      for (const { type, rows } of filterScans) {
        // A rare value is looked up, and only the rows that have it are read.
        const isLookup = type.startsWith('Bitmap') || type === 'Index Scan'
        assert.ok(
          type === 'Index Only Scan' || (isLookup && rows <= MAX_FOUND),
          `${query} reads ${rows}\n${plan}`,
        )
      }
      assert.ok(widestSort <= 20_000, `${query} sorts ${widestSort} rows\n${plan}`)
    }
    const widest = Math.max(...plans.map((plan) => plan.widestSort))
    t.diagnostic(`${plans.length} plans; the widest sort: ${widest} rows`)
  })
})
