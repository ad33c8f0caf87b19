import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FacetCounter } from '../../src/agents/list/facet-counter.ts'
import { filterKey } from '../../src/agents/list/filter-table.ts'
import { readFilters } from '../../src/agents/list/filters.ts'

const tags = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `tag ${from + n}`)

/** What the table has of an agent: the number of its tags, no flags, the keys of its model and of its tags. */
function factsOf(model: string, tagsOf: readonly string[]): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(tagsOf.length)
  const keys = [filterKey('model', model), ...tagsOf.map((tag) => filterKey('tag', tag))]
  return Buffer.concat([head, ...keys.map((key) => Buffer.from(key, 'base64'))])
}

describe('the counter of facets', () => {
  it('lets others have their turn while it counts', async () => {
    const counter = new FacetCounter(readFilters({ tags: tags(20, 1_000) }))
    const agent = factsOf('m', tags(50))
    const page = Buffer.concat(Array.from({ length: 10_000 }, () => agent))
    let turns = 0
    let isDone = false
    const counting = counter.add(page, 0).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await setImmediate()
      turns++
    }
    await counting
    assert.ok(turns > 10, `${turns} turns`)
    assert.deepEqual(counter.mostFrequent('tag', 1), [
      { key: filterKey('tag', 'tag 0'), count: 10_000, page: 0 },
    ])
    assert.deepEqual(counter.mostFrequent('model', 1), [])
  })

  it('counts a limited number of values, those that it finds first, and reports that there are more', async () => {
    const counter = new FacetCounter(readFilters({}), 60)
    await counter.add(factsOf('a', tags(50)), 0)
    assert.equal(counter.hasUncounted, false)
    await counter.add(Buffer.concat([factsOf('b', tags(50, 40)), factsOf('c', ['tag 41', 'tag 89'])]), 1)
    assert.equal(counter.hasUncounted, true)
    const found = counter.mostFrequent('tag', 100)
    assert.equal(found.length, 60)
    assert.deepEqual(found.slice(0, 3), [
      { key: filterKey('tag', 'tag 41'), count: 3, page: 0 },
      { key: filterKey('tag', 'tag 40'), count: 2, page: 0 },
      { key: filterKey('tag', 'tag 42'), count: 2, page: 0 },
    ])
    assert.deepEqual(
      found.filter(({ key }) => key === filterKey('tag', 'tag 89')),
      [],
    )
  })

  it('counts each of many values exactly', async () => {
    const counter = new FacetCounter(readFilters({}))
    const pages = Array.from({ length: 600 }, (_, n) => factsOf('m', tags(50, n * 50)))
    for (const page of [...pages, ...pages]) await counter.add(page, 0)
    const found = counter.mostFrequent('tag', 50_000)
    assert.equal(found.length, 30_000)
    assert.equal(new Set(found.map(({ key }) => key)).size, 30_000)
    assert.deepEqual([...new Set(found.map(({ count }) => count))], [2])
    assert.equal(counter.hasUncounted, false)
  })

  it('counts only some of the values whose keys crowd together, none of them twice', async () => {
    const counter = new FacetCounter(readFilters({}))
    const crowded = Buffer.concat(
      Array.from({ length: 200 }, (_, n) => {
        const agent = factsOf('m', ['any'])
        agent.writeUInt16BE(n, agent.length - 6)
        agent.writeUInt32BE(0, agent.length - 4)
        return agent
      }),
    )
    await counter.add(crowded, 0)
    await counter.add(factsOf('m', tags(50)), 0)
    for (let n = 0; n < 100; n++) await counter.add(factsOf('m', tags(50, n * 50)), 0)
    await counter.add(crowded, 0)
    const found = counter.mostFrequent('tag', 10_000)
    const keys = found.map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length)
    assert.ok(found.length > 4_900 && found.length <= 5_064, `${found.length} values`)
    assert.equal(counter.hasUncounted, true)
  })
})
