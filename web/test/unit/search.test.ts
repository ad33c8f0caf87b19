import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSearch, stringifySearch } from '../../src/shared/search.ts'

describe('search parameters', () => {
  it('repeats a name for each value of a list, as the API has it', () => {
    const text = '?statuses=active&statuses=under_review&query=Gro%C3%9Fschaden'
    const search = parseSearch(text)
    assert.deepEqual(search, { statuses: ['active', 'under_review'], query: 'Großschaden' })
    assert.equal(stringifySearch(search), text)
  })

  it('leaves out what has no value', () => {
    assert.equal(stringifySearch({ query: '', sort: undefined, tags: [] }), '')
    assert.deepEqual(parseSearch(''), {})
  })
})
