import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditEvent } from '@agent-console/sdk'
import { FORMULA_STARTS } from '../../../src/features/list/schema.ts'
import { type BulkOutcome, countOutcomes, inOrder, loadRows } from '../../src/fleet/bulk/change.ts'
import { summarise } from '../../src/fleet/counts.ts'
import { toCsv } from '../../src/fleet/csv.ts'
import type { FleetRow } from '../../src/fleet/list.ts'
import { toggleRows } from '../../src/fleet/selection.ts'

const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }) as FleetRow)

describe('the selection', () => {
  it('takes a row, a range in either direction, and gives a range back', () => {
    const one = toggleRows(rows, new Map(), 'c', undefined)
    assert.deepEqual([...one.keys()], ['c'])
    const range = toggleRows(rows, one, 'a', 'c')
    assert.deepEqual([...range.keys()].toSorted(), ['a', 'b', 'c'])
    assert.deepEqual([...toggleRows(rows, range, 'b', 'c').keys()], ['a'])
  })
})

describe('selecting more than is loaded', () => {
  const load = (isSameList: () => boolean) => {
    let count = 1
    const fetchNextPage = () => {
      count += 1
      const pages = Array.from({ length: count }, () => ({ results: rows }))
      return Promise.resolve({ data: { pages }, isError: false, hasNextPage: true })
    }
    return loadRows(rows, 10, { fetchNextPage: fetchNextPage as never, isSameList })
  }

  it('loads pages until there are as many as wanted', async () => {
    assert.equal((await load(() => true))?.length, 10)
  })

  it('selects nothing if the filters changed meanwhile', async () => {
    assert.equal(await load(() => false), undefined)
  })
})

describe('a file of values', () => {
  it('quotes separators, and lets no spreadsheet run a cell', () => {
    assert.equal(toCsv([['a,b', 'say "x"', '=1+1', null, 3]]), `"a,b","say ""x""",'=1+1,,3\r\n`)
  })

  it('has an apostrophe in front of the same texts as the export of the API', () => {
    const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))
    const guarded = characters.filter((character) => toCsv([[`${character}x`]]).includes(`'${character}x`))
    assert.deepEqual(
      guarded,
      characters.filter((character) => new RegExp(FORMULA_STARTS).test(character)),
    )
  })
})

describe('the outcomes of a bulk change', () => {
  it('begin with what was refused, and are counted', () => {
    const of = (id: string, outcome: BulkOutcome['outcome'], dependents = 0) =>
      ({ id, outcome, impact: { dependents } }) as BulkOutcome
    const all = [of('1', 'unchanged'), of('2', 'would_change'), of('3', 'would_change', 2), of('4', 'failed')]
    assert.deepEqual(
      inOrder(all).map(({ id }) => id),
      ['4', '3', '2', '1'],
    )
    assert.deepEqual(countOutcomes(all), { willChange: 2, changed: 0, unchanged: 1, failed: 1 })
  })
})

describe('the changes of a day', () => {
  const event = (at: number, agent: string, action: AuditEvent['action'] = 'agent_updated') =>
    ({ at, action, agent_id: agent, user_id: 'u', changed_by_name: 'U' }) as AuditEvent

  it('counts changes of agents only, and knows the last one of each', () => {
    const events = [event(2300, 'a'), event(2200, 'b', 'secrets_read'), event(100, 'a')]
    const day = summarise(events, { from: 0, to: 2400, more: false })
    assert.equal(day.count, 2)
    assert.equal(day.bars[23], 1)
    assert.equal(day.bars[1], 1)
    assert.equal(day.last.get('a')?.at, 2300)
  })

  it('begins with the oldest event when the log has more than a page', () => {
    const day = summarise([event(2400, 'a'), event(1200, 'b')], { from: 0, to: 2400, more: true })
    assert.equal(day.from, 1200)
    assert.deepEqual([day.bars[0], day.bars[23]], [1, 1])
  })
})
