import { randomUUID } from 'node:crypto'
import type { AgentEvent } from '../../src/api/events.ts'
import { toCloudEvent } from '../../src/features/events/outbox.ts'

export interface EventOptions {
  teamId: string
  agentId: string
  revision?: number
  fields?: string[]
}

/** An event as the relay publishes it. */
export function agentEvent({
  teamId,
  agentId,
  revision = 1,
  fields = ['agent_name'],
}: EventOptions): AgentEvent {
  const payload = { fields, changed_by: randomUUID(), changed_at: 1_800_000_000 }
  const id = `${agentId}:${revision}`
  return toCloudEvent({ id, teamId, agentId, revision, action: 'updated', payload }, 1)
}
