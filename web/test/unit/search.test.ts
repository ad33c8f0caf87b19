import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSameSearch, parseSearch, stringifySearch } from '../../src/shared/search.ts'

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

  it('are the same in any order, with one value as a text or as a list', () => {
    const view = { statuses: ['draft', 'active'], columns: ['status'], sort: undefined }
    assert.equal(isSameSearch(view, parseSearch('?columns=status&statuses=active&statuses=draft')), true)
    assert.equal(isSameSearch(view, parseSearch('?columns=status&statuses=active')), false)
    assert.equal(isSameSearch({}, { q: undefined }), true)
  })
})
