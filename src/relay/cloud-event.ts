import type { AgentEvent, EpochEvent } from '../contract/events.ts'
import type { OutboxEvent } from '../platform/events/outbox.ts'

const SOURCE = '/v1/agent-configurations'

/** After a restore the numbers of lost revisions are used again, for other changes: their ids must differ, or JetStream
 * drops them as duplicates. */
export function toCloudEvent(event: OutboxEvent, epoch: number): AgentEvent {
  const { teamId, agentId, revision, action } = event
  const { traceparent, ...payload } = event.payload
  return {
    specversion: '1.0',
    id: epoch === 1 ? event.id : `${event.id}:${epoch}`,
    source: SOURCE,
    type: `console.agent.${action}`,
    subject: agentId,
    time: new Date(payload.changed_at * 1_000).toISOString(),
    datacontenttype: 'application/json',
    epoch,
    ...(traceparent === undefined ? {} : { traceparent }),
    data: { team_id: teamId, agent_id: agentId, revision, action, ...payload },
  }
}

export function toEpochEvent(epoch: number, atMs: number): EpochEvent {
  return {
    specversion: '1.0',
    id: `epoch:${epoch}`,
    source: SOURCE,
    type: 'console.epoch.began',
    time: new Date(atMs).toISOString(),
    epoch,
  }
}
