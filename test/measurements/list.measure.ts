import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { AGENT_SORTS } from '../../src/features/list/schema.ts'
import { FILTERS, filtersIn, PAIRS, SINGLES } from '../support/list-filters.ts'
import { measureMemory, observeMemory, TELLS_MEMORY } from '../support/memory.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { openFleet } from '../support/seeded-fleet.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { type CpuClock, type CpuTime, createCpuClock } from './cpu-time.ts'

const SAMPLES = 20

const SMALL = { agents: 100_000, agentsOfLargest: 1_000, pageMs: 25, facetsMs: 100 }
const LARGE = { agents: 1_000_000, agentsOfLargest: 100_000, pageMs: 150, facetsMs: 400 }
const FLEETS = sized([SMALL], [SMALL, LARGE])

const MIB = 1024 * 1024

interface Figure extends CpuTime {
  query: string
  p95: number
}

for (const { agents, agentsOfLargest, pageMs, facetsMs } of FLEETS) {
  describe(`the lists of a team of ${agentsOfLargest} among ${agents} agents`, () => {
    let running: RunningConsole
    let headers: Record<string, string>
    let cpu: CpuClock
    let close: () => Promise<void>

    const get = async (path: string) => {
      const reply = await fetch(`${running.url}/v1/agent-configurations${path}`, { headers })
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      return text
    }
    const list = (query: string) => get(`?include_scores=true&${query}`)

    /** The figures of each case: p95 of the wall time, mean of the processor time. In turns, so that a pause of the machine falls
     * on all of them and not on whichever is being measured. */
    const measure = async (queries: string[], send = list): Promise<Figure[]> => {
      const cases = queries.map((query) => ({ query, times: [] as number[], consoleMs: 0, databaseMs: 0 }))
      for (const { query } of cases) await send(query)
      await cpu.refresh()
      for (let sample = 0; sample < SAMPLES; sample++) {
        for (const one of cases) {
          const cpuBefore = cpu.read()
          const startedAt = performance.now()
          await send(one.query)
          one.times.push(performance.now() - startedAt)
          const { consoleMs, databaseMs } = cpu.read()
          one.consoleMs += (consoleMs - cpuBefore.consoleMs) / SAMPLES
          one.databaseMs += (databaseMs - cpuBefore.databaseMs) / SAMPLES
        }
      }
      return cases.map(({ times, ...one }) => ({ ...one, p95: quantile(times, 0.95) }))
    }
    const slowestOf = (figures: Figure[]) =>
      figures.reduce((worst, one) => (one.p95 > worst.p95 ? one : worst))
    const report = (t: TestContext, what: string, { query, p95, consoleMs, databaseMs }: Figure) =>
      t.diagnostic(
        `${what.padEnd(34)} p95 ${p95.toFixed(1).padStart(6)} ms, CPU ${consoleMs.toFixed(1).padStart(5)} ms + PostgreSQL ` +
          `${databaseMs.toFixed(1).padStart(5)} ms   ${query}`,
      )
    /** Reports the slowest case of each group, and compares the slowest of all with the limit. */
    const check = (t: TestContext, groups: [string, Figure[]][], limitMs: number) => {
      for (const [name, figures] of groups) report(t, name, slowestOf(figures))
      const { query, p95 } = slowestOf(groups.flatMap(([, figures]) => figures))
      assert.ok(p95 < limitMs * SLACK, `${query}: ${p95} ms`)
    }

    before(async () => {
      const fleet = await openFleet({ agents, agentsOfLargest })
      running = await startConsoleProcess({ DATABASE_URL: fleet.url, ...TELLS_MEMORY })
      headers = {
        authorization: `Bearer ${await running.token({ team: fleet.largestTeam })}`,
        // Decompression is the client's time, and the client shares the cores with the console.
        'accept-encoding': 'identity',
      }
      // Connections and plans are part of a start, not of a page.
      for (let n = 0; n < 20; n++) await Promise.all([list('limit=100'), list('tags=billing&limit=100')])
      cpu = await createCpuClock(running.child.pid as number, fleet.url)
      close = async () => {
        await cpu.close()
        await running.close()
        await fleet.close()
      }
    })
    after(() => close())

    const byFilter = (figures: Figure[]) => [...Map.groupBy(figures, ({ query }) => filtersIn(query))]

    it(`answers a page of 100 with scores in under ${pageMs} ms (p95), for each filter and each sort`, async (t) => {
      const queries = SINGLES.flatMap((filter) =>
        AGENT_SORTS.map((sort) => `${filter}&sort=${sort}&limit=100`),
      )
      check(t, byFilter(await measure(queries)), pageMs)
    })

    it('answers a page far behind as quickly as the first', async (t) => {
      const far: string[] = []
      for (const sort of AGENT_SORTS) {
        let cursor = ''
        for (let pages = 1; pages < 500; pages++) {
          const page = JSON.parse(await list(`sort=${sort}&limit=100${cursor}`)) as {
            next_cursor: string | null
          }
          if (page.next_cursor === null) break
          cursor = `&cursor=${page.next_cursor}`
        }
        far.push(`sort=${sort}&limit=100${cursor}`)
      }
      check(t, [['page 500', await measure(far)]], pageMs)
    })

    it(`answers any two filters together in under ${pageMs} ms (p95)`, async (t) => {
      check(t, byFilter(await measure(PAIRS.map((pair) => `${pair}&limit=100`))), pageMs)
    })

    it(`counts the facets of the team in under ${facetsMs} ms (p95)`, async (t) => {
      const filters = ['', ...Object.entries(FILTERS).map(([name, [common]]) => `${name}=${common}`)]
      const figures = await measure(filters, (query) => get(`/facets?${query}`))
      check(t, byFilter(figures), facetsMs)
    })

    for (const format of ['ndjson', 'csv']) {
      it(`exports the team as ${format} with less than 30 MiB more memory`, async (t) => {
        const exportAll = async () => {
          const reply = await fetch(`${running.url}/v1/agent-configurations/export?format=${format}`, {
            headers,
          })
          assert.equal(reply.status, 200)
          let bytes = 0
          for await (const chunk of reply.body ?? []) bytes += (chunk as Uint8Array).length
          return bytes
        }
        await measureMemory(running)
        await list('tags=billing&limit=1')
        await cpu.refresh()
        const memory = observeMemory(running)
        const before = memory.now()
        const startedAt = performance.now()
        const cpuBefore = cpu.read()
        const bytes = await exportAll()
        const seconds = (performance.now() - startedAt) / 1_000
        const { consoleMs, databaseMs } = cpu.read()
        const growth = (memory.stop() - before) / MIB
        t.diagnostic(
          `${(bytes / MIB).toFixed(1)} MiB in ${seconds.toFixed(1)} s, CPU ${(consoleMs - cpuBefore.consoleMs).toFixed(0)} ms + ` +
            `PostgreSQL ${(databaseMs - cpuBefore.databaseMs).toFixed(0)} ms; memory grew by ${growth.toFixed(1)} MiB`,
        )
        assert.ok(growth < 30 * SLACK, `${growth} MiB`)
      })
    }
  })
}
