import { AgentEvent } from './events.ts'

export const DEFAULT_SUBJECT_PREFIX = 'console.agents'

/** The AsyncAPI 3 document of the events that the relay publishes to NATS. */
export function describeEvents(version: string, subjectPrefix: string) {
  const { $id: _, ...payload } = AgentEvent as typeof AgentEvent & { $id?: string }
  const parameter = (description: string) => ({ description })
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Agent Console events',
      version,
      description:
        'One event for each revision of an agent and one for its deletion. The events of one agent arrive in order. ' +
        'Delivery is at least once: a subscriber recognises a repeated event by its message id.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: {
      agentChanges: {
        address: `${subjectPrefix}.{team_id}.{agent_id}`,
        title: 'Changes of agents',
        description: 'JetStream subjects, one for each agent.',
        parameters: {
          team_id: parameter('Id of the team that owns the agent, a UUID.'),
          agent_id: parameter('Id of the agent, a UUID.'),
        },
        messages: { agentEvent: { $ref: '#/components/messages/AgentEvent' } },
      },
    },
    operations: {
      publishAgentChange: {
        action: 'send',
        title: 'A change of an agent',
        summary: 'The relay sends it after the change is committed.',
        channel: { $ref: '#/channels/agentChanges' },
        messages: [{ $ref: '#/channels/agentChanges/messages/agentEvent' }],
      },
    },
    components: {
      messages: {
        AgentEvent: {
          name: 'AgentEvent',
          title: 'A change of an agent',
          contentType: 'application/cloudevents+json',
          headers: {
            type: 'object',
            required: ['Nats-Msg-Id'],
            properties: {
              'Nats-Msg-Id': { type: 'string', description: 'The `id` of the event, for deduplication.' },
              'content-type': {
                type: 'string',
                const: 'application/cloudevents+json',
                description: 'Media type of the message.',
              },
            },
          },
          payload: { $ref: '#/components/schemas/AgentEvent' },
        },
      },
      schemas: { AgentEvent: payload },
    },
  }
}
