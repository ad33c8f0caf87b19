import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServiceStatus } from '@agent-console/sdk'
import { referenceOf, stateBadge, troubleOf } from '../../src/services/state.ts'

const at = (text: string): number => new Date(text).getTime() / 1000
const now = at('2026-11-15T12:00:00')

const service: ServiceStatus = {
  ...{ name: 'guards', tag: 'Guard Rails', prefixes: ['/v1/guards'], state: 'up', errors: [] },
  ...{ breaker: 'closed', since: at('2026-11-15T03:00:00') },
  document: { title: 'Guards', version: '1.9.3', since: 0, operations: 17, left_out: [] },
}
const unreachable: ServiceStatus = {
  ...service,
  ...{ state: 'document_unreachable', errors: ['Its document could not be fetched: ECONNREFUSED.'] },
}

describe('a service whose document cannot be fetched', () => {
  it('is a warning while calls pass: the banner says since when, why, and what still works', () => {
    assert.deepEqual(troubleOf(unreachable, now), {
      tone: 'warn',
      title: 'guards: its document cannot be fetched since 03:00',
      sentences: ['ECONNREFUSED.', 'Calls are still sent to it; document 1.9.3 stays in use.'],
    })
    assert.deepEqual(stateBadge(unreachable), { word: 'Document unreachable', glyph: 'warning' })
  })

  it('names the day if it was another one', () => {
    const yesterday = { ...unreachable, since: at('2026-11-14T23:40:00') }
    assert.match(troubleOf(yesterday, now)?.title ?? '', / since Sat 23:40$/)
  })

  it('keeps a reason that says more, and leaves out one that repeats the title', () => {
    const sentences = (error: string) => troubleOf({ ...unreachable, errors: [error] }, now)?.sentences
    assert.equal(
      sentences('The request for its document returned 503.')?.[0],
      'The request for its document returned 503.',
    )
    assert.equal(sentences('Its document could not be fetched.')?.length, 1)
  })

  for (const breaker of ['open', 'half_open'] as const) {
    it(`is a failure with a breaker that is ${breaker}, and no call is said to pass`, () => {
      const trouble = troubleOf({ ...unreachable, breaker }, now)
      assert.equal(trouble?.tone, 'danger')
      assert.doesNotMatch(trouble?.sentences.join(' ') ?? '', /still sent/)
      assert.match(trouble?.sentences.join(' ') ?? '', /503.*; document 1\.9\.3 stays in use\.$/)
      assert.equal(stateBadge({ ...unreachable, breaker }).glyph, 'failed')
    })
  }

  it('is a failure without a document: none of its operations is mounted', () => {
    const trouble = troubleOf({ ...unreachable, document: null }, now)
    assert.equal(trouble?.tone, 'danger')
    assert.match(trouble?.sentences.at(-1) ?? '', /none of its operations is mounted/)
  })
})

describe('a service with an open breaker', () => {
  it('is in trouble although its document is up', () => {
    assert.equal(troubleOf(service, now), undefined)
    const trouble = troubleOf({ ...service, breaker: 'open' }, now)
    assert.equal(trouble?.title, 'guards does not answer')
    assert.match(trouble?.sentences.join(' ') ?? '', /17 operations get 503 without reaching the service\.$/)
  })
})

it('has its operations in the reference', () => {
  assert.equal(referenceOf(service), '/docs#tag/guards')
})
