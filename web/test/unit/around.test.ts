import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentRevision } from '@agent-console/sdk'
import { shownOf } from '../../src/agent/revisions.ts'
import { detailLine } from '../../src/audit/actions.ts'
import { auditSearch, dayUtc, fromField, toField } from '../../src/audit/search.ts'
import { cardsOf, withOnTop, without } from '../../src/lifecycle/queries.ts'
import { lifecycleSearch } from '../../src/lifecycle/search.ts'
import { mark, matches, step } from '../../src/palette/items.ts'

describe('the audit log', () => {
  it('takes filters from the address and drops what is not one', () => {
    assert.deepEqual(auditSearch({ action: 'agent_updated', since: '12', until: 'x', other: '1' }), {
      action: 'agent_updated',
      since: 12,
    })
  })

  it('says what happened on one line', () => {
    const refused = { permission: 'agent:write', method: 'PUT', route: '/v1/x', count: 3 }
    assert.equal(
      detailLine({ action: 'permission_refused', detail: refused }),
      'needs agent:write · PUT /v1/x · 3 times',
    )
    assert.equal(
      detailLine({ action: 'agent_updated', detail: { revision: 4, fields: ['purpose', 'hub'] } }),
      'r4 · purpose, hub',
    )
  })

  it('reads and writes times as UTC', () => {
    assert.equal(toField(1_700_000_000), '2023-11-14T22:13')
    assert.equal(fromField('2023-11-14T22:13'), 1_699_999_980)
    assert.equal(fromField(''), undefined)
    assert.equal(dayUtc(1_700_000_000, 1_700_000_000), 'Tuesday 14 November')
  })
})

describe('the board', () => {
  const page = (ids: string[]) => ({
    results: ids.map((id) => ({ id }) as never),
    revisions: ids.map((_, index) => index + 1),
    next_cursor: null,
  })
  const column = { pages: [page(['a', 'b']), page(['c'])], pageParams: [null, 'x'] }

  it('takes a card out of a column and puts it on top of another, with its revision', () => {
    assert.deepEqual(
      cardsOf(without(column, 'c')).map(({ agent, revision }) => [agent.id, revision]),
      [
        ['a', 1],
        ['b', 2],
      ],
    )
    const put = withOnTop(column, { agent: { id: 'c' } as never, revision: 9 })
    assert.deepEqual(
      cardsOf(put).map(({ agent, revision }) => [agent.id, revision]),
      [
        ['c', 9],
        ['a', 1],
        ['b', 2],
      ],
    )
  })

  it('drops what is no filter from the address', () => {
    assert.deepEqual(lifecycleSearch({ q: 'x', sort: 'nothing', evaluation: 'current' }), { q: 'x' })
  })
})

describe('the palette', () => {
  it('finds every word anywhere, and marks what was typed', () => {
    assert.equal(matches('Show all keys', 'keys all'), true)
    assert.equal(matches('Show all keys', 'none'), false)
    assert.deepEqual(mark('Invoice', 'vo'), [
      { text: 'In', hit: false },
      { text: 'vo', hit: true },
      { text: 'ice', hit: false },
    ])
    assert.deepEqual([step(0, -1, 3), step(2, 1, 3), step(0, 1, 0)], [2, 0, -1])
  })
})

describe('the activity', () => {
  it('holds newer changes back while it is paused', () => {
    const revisions = [3, 2, 1].map((revision) => ({
      revision,
      fields: revision === 2 ? ['hub'] : ['purpose'],
    }))
    const all = revisions as unknown as AgentRevision[]
    assert.equal(shownOf(all, '', undefined).revisions.length, 3)
    assert.deepEqual(
      [shownOf(all, '', 2).revisions.length, shownOf(all, '', 2).waiting, shownOf(all, 'hub', 2).waiting],
      [2, 1, 0],
    )
  })
})
