import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  columnsOf,
  columnsParameter,
  filtersOf,
  fleetSearch,
  nextSort,
  sortOf,
  toggled,
  withoutFilters,
} from '../../src/fleet/search.ts'
import { parseSearch, stringifySearch } from '../../src/shared/search.ts'

describe('the address of the fleet page', () => {
  it('survives writing and reading', () => {
    const text =
      '?statuses=active&statuses=draft&tags=a%26b&q=Gro%C3%9F&min_score=0.8&sort=-score&columns=status&columns=hub'
    const search = fleetSearch(parseSearch(text))
    assert.deepEqual(fleetSearch(parseSearch(stringifySearch(search))), search)
    assert.deepEqual(filtersOf(search), {
      statuses: ['active', 'draft'],
      tags: ['a&b'],
      q: 'Groß',
      min_score: 0.8,
    })
  })

  it('drops what the API would refuse', () => {
    const search = fleetSearch(
      parseSearch('?statuses=bogus&sort=updated_at&min_score=high&columns=secret&x=1&cursor=abc'),
    )
    assert.equal(stringifySearch(search), '')
    const many = fleetSearch({ tags: Array.from({ length: 30 }, (_, index) => `t${index}`) })
    assert.equal(filtersOf(many).tags?.length, 20)
  })

  it('adds and removes a value, and clears all filters but not the order', () => {
    const one = toggled({}, 'statuses', 'active')
    assert.deepEqual(filtersOf(one).statuses, ['active'])
    assert.deepEqual(filtersOf(toggled(one, 'statuses', 'active')), {})
    assert.equal(stringifySearch(withoutFilters(fleetSearch({ ...one, sort: 'score' }))), '?sort=score')
  })

  it('always shows the name, and stays short with the columns of the default', () => {
    assert.deepEqual(columnsOf(['hub']), ['agent_name', 'hub'])
    assert.equal(columnsParameter(columnsOf(undefined)), undefined)
    assert.deepEqual(columnsParameter(['agent_name', 'hub']), ['agent_name', 'hub'])
  })

  it('turns the order around with the header of its column', () => {
    assert.equal(sortOf('updated_at'), '-created_at')
    assert.equal(nextSort('-created_at', 'agent_name'), 'agent_name')
    assert.equal(nextSort('agent_name', 'agent_name'), '-agent_name')
    assert.equal(nextSort('agent_name', 'score'), '-score')
  })
})
