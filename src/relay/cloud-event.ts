import type { AgentEvent } from '../contract/events.ts'
import type { OutboxEvent } from '../platform/outbox.ts'

export function toCloudEvent({ id, teamId, agentId, revision, action, payload }: OutboxEvent): AgentEvent {
  return {
    specversion: '1.0',
    id,
    source: '/v1/agent-configurations',
    type: `console.agent.${action}`,
    subject: agentId,
    time: new Date(payload.changed_at * 1_000).toISOString(),
    datacontenttype: 'application/json',
    data: { team_id: teamId, agent_id: agentId, revision, action, ...payload },
  }
}
