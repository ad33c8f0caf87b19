import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findView, type SavedView } from '../../src/api/views.ts'
import { parseSearch } from '../../src/shared/search.ts'

const view = (name: string, query: string, columns: string[] = []): SavedView => ({
  ...{ name, query, columns, scope: 'user', updated_at: 0, updated_by: '' },
})

describe('the saved view that is open', () => {
  const views = [
    view('All', ''),
    view('Drafts', 'statuses=draft&limit=200'),
    view('Drafts of the team', 'statuses=draft'),
    view('Models', 'statuses=draft', ['model_name']),
  ]
  const nameOf = (address: string): string | undefined => findView(views, parseSearch(address))?.name

  it('is the first with the filters and columns of the address', () => {
    assert.equal(nameOf('?statuses=draft'), 'Drafts')
    assert.equal(nameOf('?columns=model_name&statuses=draft'), 'Models')
  })

  it('is none where the address has other filters, or no filter', () => {
    assert.equal(nameOf('?statuses=draft&q=a'), undefined)
    assert.equal(nameOf(''), undefined)
  })
})
