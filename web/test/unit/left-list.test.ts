import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draftKey, dropDraft, readDraft, writeDraft } from '../../src/shared/drafts.ts'
import { neighboursOf, rememberList } from '../../src/shared/left-list.ts'

/** Node has no session storage without a file. */
function useStorage(): Map<string, string> {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true })
  return kept
}

describe('what a tab remembers', () => {
  const kept = useStorage()

  it('walks through the list that was left', () => {
    rememberList({
      label: 'Outdated scores',
      search: '?evaluation=outdated',
      ids: ['a', 'b', 'c'],
      total: 412,
    })
    assert.deepEqual(neighboursOf('a'), {
      label: 'Outdated scores',
      search: '?evaluation=outdated',
      position: 1,
      total: 412,
      previous: undefined,
      next: 'b',
    })
    assert.equal(neighboursOf('c')?.next, undefined)
    assert.equal(neighboursOf('x'), undefined)
  })

  it('keeps a draft until it is dropped, and forgets one that it cannot read', () => {
    const key = draftKey('user', 'configuration', 'agent')
    assert.equal(readDraft(key), undefined)
    const draft = { revision: 3, values: { purpose: 'x' }, at: 1 }
    assert.equal(writeDraft(key, draft), true)
    assert.deepEqual(readDraft(key), draft)
    kept.set(key, '{')
    assert.equal(readDraft(key), undefined)
    writeDraft(key, draft)
    dropDraft(key)
    assert.equal(readDraft(key), undefined)
  })
})
