import type { FastifyPluginAsync } from 'fastify'
import { AgentEvent, EpochEvent } from '../../api/events.ts'
import { JSON_TYPE, sendCached, toCached } from '../../http/compression.ts'

/** The AsyncAPI 3 document of the events that the relay publishes to NATS. */
export function describeEvents(version: string, subjectPrefix: string) {
  const parameter = (description: string) => ({ description })
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Agent Console events',
      version,
      description:
        'One event for each revision of an agent. The events of one agent arrive in order. Delivery is at least ' +
        'once: a subscriber recognises a repeated event by its message id.',
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
      epochs: {
        address: `${subjectPrefix}.epoch.{epoch}`,
        title: 'Epochs',
        description: 'JetStream subjects, one for each epoch after the first.',
        parameters: { epoch: parameter('Number of the epoch.') },
        messages: { epochEvent: { $ref: '#/components/messages/EpochEvent' } },
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
      publishEpoch: {
        action: 'send',
        title: 'The beginning of an epoch',
        summary:
          'Sent before the first event after a restore of the database. Subscribers then list the agents again.',
        channel: { $ref: '#/channels/epochs' },
        messages: [{ $ref: '#/channels/epochs/messages/epochEvent' }],
      },
    },
    components: {
      messages: {
        AgentEvent: describeMessage('AgentEvent', 'A change of an agent'),
        EpochEvent: describeMessage('EpochEvent', 'The beginning of an epoch'),
      },
      schemas: { AgentEvent: withoutId(AgentEvent), EpochEvent: withoutId(EpochEvent) },
    },
  }
}

function withoutId(schema: object): object {
  const { $id: _, ...rest } = schema as { $id?: string }
  return rest
}

function describeMessage(name: string, title: string) {
  return {
    name,
    title,
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
    payload: { $ref: `#/components/schemas/${name}` },
  }
}

/** Serves the AsyncAPI document of the events. */
export const asyncApiRoute: FastifyPluginAsync<{ document: object }> = async (app, { document }) => {
  const content = toCached(JSON.stringify(document), JSON_TYPE, 'no-cache')
  app.get(
    '/asyncapi.json',
    { config: { permission: 'public' }, schema: { hide: true } },
    async (request, reply) => sendCached(request, reply, content),
  )
}
