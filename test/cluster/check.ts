import { AssertionError } from 'node:assert'
import { checkDelivery } from '../support/delivery-check.ts'
import type { StreamEvent } from '../support/nats.ts'
import type { History, StoredRevision, Try, Write } from './history.ts'

export interface Stored {
  /** Every revision of every agent, in order. */
  revisions: StoredRevision[]
  /** The current revision of each agent. */
  current: Map<string, number>
  /** The event stream, in its order. */
  events: StreamEvent[]
  team: string
  subjectPrefix: string
}

/** Compares what clients saw with what is stored in the end. Returns a sentence for each violation. */
export function check(history: History, stored: Stored): string[] {
  return [
    ...checkWrites(history.writes, stored.revisions),
    ...checkRevisions(stored),
    ...checkReads(history),
    ...checkResponses(history.tries),
    ...checkEvents(history.writes, stored),
  ]
}

function checkWrites(writes: Write[], revisions: StoredRevision[]): string[] {
  const places = Map.groupBy(revisions, ({ key }) => key)
  const known = new Set(writes.map(({ key }) => key))
  return [
    ...writes.flatMap(({ key, agent, outcome, revision }) => {
      const found = places.get(key) ?? []
      if (outcome === 'pending') return [`The outcome of ${key} stayed unknown`]
      if (outcome === 'refused') return found.map(() => `${key} was refused, and is stored`)
      const isThere = found.some((each) => each.agent === agent && each.revision === revision)
      return isThere ? [] : [`${key} was acknowledged as revision ${revision}, and is lost`]
    }),
    ...[...places].flatMap(([key, { length }]) => [
      ...(length > 1 ? [`${key} was applied ${length} times`] : []),
      ...(known.has(key) ? [] : [`No client wrote ${key}`]),
    ]),
  ]
}

function checkRevisions({ revisions, current }: Stored): string[] {
  const last = new Map<string, StoredRevision>()
  const violations: string[] = []
  for (const each of revisions) {
    const { revision, counter } = last.get(each.agent) ?? { revision: 0, counter: 0 }
    last.set(each.agent, each)
    if (each.revision !== revision + 1)
      violations.push(`Revision ${each.revision} of ${each.agent} follows ${revision}`)
    if (each.counter !== counter + 1)
      violations.push(`Revision ${each.revision} of ${each.agent} lost an update`)
  }
  for (const [agent, revision] of current)
    if (last.get(agent)?.revision !== revision) violations.push(`${agent} has no revision ${revision}`)
  return violations
}

/** A read that begins after an acknowledgement sees at least that revision. */
function checkReads({ writes, reads }: History): string[] {
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged')
  const moments = [
    ...reads.map(({ agent, revision, startedAt }) => ({ agent, revision, at: startedAt, isRead: true })),
    ...acknowledged.map(({ agent, revision, endedAt }) => ({ agent, revision, at: endedAt, isRead: false })),
  ]
  const newest = new Map<string, number>()
  const violations: string[] = []
  for (const { agent = '', revision = 0, isRead } of moments.toSorted((a, b) => a.at - b.at)) {
    const known = newest.get(agent) ?? 0
    if (!isRead) newest.set(agent, Math.max(known, revision))
    else if (revision < known)
      violations.push(`A read of ${agent} returned revision ${revision} after ${known}`)
  }
  return violations
}

/** A failure of the console is a 503 with Retry-After. */
function checkResponses(tries: Try[]): string[] {
  return tries
    .filter(({ status = 0, retryAfter }) =>
      status === 503 || status === 429 ? !/^\d+$/.test(retryAfter ?? '') : status >= 500,
    )
    .map(({ method, status, code }) => `${method}: ${status} ${code}`)
}

/** Each revision has its event, in order. */
function checkEvents(writes: Write[], { revisions, events, team, subjectPrefix }: Stored): string[] {
  const newest = new Map(revisions.map(({ agent, revision }) => [agent, revision]))
  const acknowledged = writes.flatMap(({ outcome, agent, revision }) =>
    outcome === 'acknowledged' ? [{ id: agent as string, revision: revision as number }] : [],
  )
  try {
    checkDelivery(events, { subjectPrefix, team, revisions: newest, acknowledged })
    return []
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    return [`Events: ${error.message}`]
  }
}
