import assert from 'node:assert/strict'
import type { StreamEvent } from '../support/nats.ts'
import type { RunningConsole } from '../support/processes.ts'

export interface Waiting {
  id: string
  revision: number
}

export const waitingIn = ({ database }: RunningConsole) =>
  database.query<Waiting>('SELECT aggregateid AS id, revision::int FROM outbox ORDER BY revision')

export async function revisionsOf({ database }: RunningConsole): Promise<Map<string, number>> {
  const rows = await database.query<Waiting>('SELECT id, revision::int FROM agents')
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}

export const sum = (revisions: Map<string, number>) =>
  [...revisions.values()].reduce((total, each) => total + each, 0)

export interface Epochs {
  stored: StreamEvent[]
  /** How many messages the stream had before the restore. */
  before: number
  restored: Map<string, number>
  /** What the restored outbox contains. */
  waiting: Waiting[]
  revisions: Map<string, number>
}

/** That the second epoch begins with a marker and has every event of the restored database, once and in order. */
export function checkEpochs({ stored, before, restored, waiting, revisions }: Epochs): void {
  checkOrder(stored.slice(0, before), new Map())
  assert.equal(stored[before]?.body.type, 'console.epoch.began')
  const events = stored.slice(before + 1)
  assert.ok(events.every(({ body }) => body.epoch === 2))
  const delivered = new Map(restored)
  for (const { id, revision } of waiting.toReversed()) delivered.set(id, revision - 1)
  assert.deepEqual(checkOrder(events, delivered), revisions)
}

/** That each agent's events are stored once and without a gap. Returns the last revision of each. */
export function checkOrder(events: StreamEvent[], delivered: Map<string, number>): Map<string, number> {
  const newest = new Map(delivered)
  for (const { body } of events) {
    const { agent_id: id, revision } = body.data
    assert.equal(revision, (newest.get(id) ?? 0) + 1, `the next event of ${id}`)
    newest.set(id, revision)
  }
  return newest
}
