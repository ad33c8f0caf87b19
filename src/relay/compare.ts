import type { AgentEvent } from '../contract/events.ts'
import { parseUuid } from '../contract/uuid.ts'
import type { EventStream, StoredEvent, StoredStream } from '../platform/events/jetstream.ts'
import type { EventKey, OutboxBatch, OutboxEvent, StreamPosition } from '../platform/events/outbox.ts'
import { toCloudEvent } from './cloud-event.ts'
import { BATCH_SIZE } from './deliver.ts'

export interface Comparison {
  /** Events that a relay published before it died, and did not delete. */
  published: OutboxEvent[]
  /** The last message of the stream. */
  position: StreamPosition
  /** How many messages the stream has lost that it had acknowledged. */
  lost: number
}

/** The stream holds events that this database does not have: the database was restored from a backup, or the stream
 * belongs to another database. */
export class Diverged extends Error {}

/** A relay that dies leaves at most one batch; one that stalled may add the rest of its own. */
const MAX_UNRECORDED = 2 * BATCH_SIZE

/** Compares the stream with what this database has recorded. Throws Diverged if they do not belong together. */
export async function compareWithStream(
  stream: Pick<EventStream, 'ensure' | 'readAllTeams'>,
  batch: Pick<OutboxBatch, 'epoch' | 'position' | 'findWaiting'>,
): Promise<Comparison> {
  const stored = await stream.ensure()
  const { createdAt, lastSequence } = stored
  const isSameStream = createdAt === batch.position.createdAt
  const recorded = isSameStream ? batch.position.lastSequence : 0
  const position = { createdAt, lastSequence }
  if (lastSequence <= recorded) return { published: [], position, lost: recorded - lastSequence }
  const published = await findPublished(stream, batch, recorded, stored)
  if (!published) {
    throw new Diverged(
      isSameStream
        ? `The stream holds events after ${recorded}, up to ${lastSequence}, that this database does not have`
        : 'The stream holds events of another database',
    )
  }
  return { published, position, lost: 0 }
}

/** Returns the events that the stream holds after a sequence, or undefined if one of them does not wait in the outbox. */
async function findPublished(
  stream: Pick<EventStream, 'readAllTeams'>,
  { epoch, findWaiting }: Pick<OutboxBatch, 'epoch' | 'findWaiting'>,
  recorded: number,
  { lastSequence }: StoredStream,
): Promise<OutboxEvent[] | undefined> {
  const count = lastSequence - recorded
  if (count > MAX_UNRECORDED) return undefined
  const neverAborted = new AbortController().signal
  const messages = await Array.fromAsync(stream.readAllTeams(recorded + 1, lastSequence, neverAborted))
  const events = messages.map(parseEvent).filter((event) => event !== undefined)
  // A message that was deleted, or is no event of an agent, cannot be compared.
  if (events.length < count) return undefined
  const waiting = await findWaiting(events.map(toKey))
  const expected = new Set(waiting.map((event) => describeChange(toCloudEvent(event, epoch))))
  return events.every((event) => expected.has(describeChange(event))) ? waiting : undefined
}

/** Not the whole event: another version of the relay may have published more. */
function describeChange({ id, type, epoch, data }: AgentEvent): string {
  return JSON.stringify([id, type, epoch, data.team_id, data.changed_by, data.changed_at, data.fields])
}

const toKey = ({ data }: AgentEvent): EventKey => ({
  teamId: data.team_id,
  agentId: data.agent_id,
  revision: data.revision,
})

/** Anyone who may publish can have written the message. */
function parseEvent({ teamId, agentId, json }: StoredEvent): AgentEvent | undefined {
  try {
    const event = JSON.parse(json.toString()) as AgentEvent
    const { team_id, agent_id, revision } = event.data
    const hasKey = parseUuid(teamId).ok && parseUuid(agentId).ok && Number.isSafeInteger(revision)
    return hasKey && team_id === teamId && agent_id === agentId ? event : undefined
  } catch {
    return undefined
  }
}
