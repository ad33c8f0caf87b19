import assert from 'node:assert/strict'
import type { StreamEvent } from './nats.ts'

export interface Acknowledged {
  id: string
  revision: number
  /** By `Date.now()`: before the first attempt, and after the response. */
  sentAt: number
  answeredAt: number
}

export interface Expected {
  subjectPrefix: string
  team: string
  /** The newest revision of each agent, by the database. */
  revisions: Map<string, number>
  acknowledged: Pick<Acknowledged, 'id' | 'revision'>[]
}

/** That a stream holds every revision of every agent, in order, and nothing else. Answers how many of its messages a
 * reader has to drop because it has seen their ids. */
export function checkDelivery(stored: StreamEvent[], expected: Expected): number {
  const { subjectPrefix, team, revisions, acknowledged } = expected
  const seen = new Set<string>()
  const events = stored.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
  const newest = new Map<string, number>()
  for (const { subject, messageId, body } of events) {
    const { agent_id: id, revision } = body.data
    assert.equal(messageId, `${id}:${revision}`)
    assert.equal(body.id, messageId)
    assert.equal(subject, `${subjectPrefix}.${team}.${id}`)
    assert.equal(revision, (newest.get(id) ?? 0) + 1, `the next event of ${id}`)
    newest.set(id, revision)
  }
  assert.deepEqual(newest, revisions)
  const missing = acknowledged.filter(({ id, revision }) => !seen.has(`${id}:${revision}`))
  assert.deepEqual(missing, [], 'acknowledged and not delivered')
  return stored.length - events.length
}
