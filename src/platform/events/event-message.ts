import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { AgentEvent, EpochEvent } from '../../contract/events.ts'
import { onFirstUse } from '../on-first-use.ts'

/** A message of the stream that the console has published. */
export interface EventMessage {
  teamId: string
  agentId: string
  epoch: number
  /** The CloudEvent, in JSON, with the members that the contract names and no others. */
  json: string
}

/** In the place of the team, in the subject of the message that begins an epoch. */
export const EPOCH_SUBJECT = 'epoch'

// A newer version of the relay may know more actions.
const ACTION = /^[a-z][a-z_]{0,63}$/
const { data } = AgentEvent.properties
const AnyAgentEvent = Type.Object({
  ...AgentEvent.properties,
  type: Type.String(),
  data: Type.Object({ ...data.properties, action: Type.String({ pattern: ACTION.source }) }),
})

const ajv = new Ajv({ strict: false, validateFormats: false })
const isAgentEvent = onFirstUse((): ((message: unknown) => message is AgentEvent) =>
  ajv.compile(AnyAgentEvent),
)
const isEpochEvent = onFirstUse((): ((message: unknown) => message is EpochEvent) => ajv.compile(EpochEvent))

/** Reads a message by its subject, `<prefix>.<team>.<agent>` or `<prefix>.epoch.<epoch>`. Undefined if it is not one that the
 * console publishes there: anyone who may publish to NATS can have written it. */
export function parseMessage(subject: string, payload: Uint8Array): EventMessage | undefined {
  const [last = '', teamId = ''] = subject.split('.').toReversed()
  const message = parseJson(payload)
  if (teamId === EPOCH_SUBJECT) return parseEpoch(message, last)
  if (!isAgentEvent(message)) return undefined
  const event = pick(message)
  const { team_id, agent_id, revision, action, changed_at } = event.data
  const id = [agent_id, revision, ...(event.epoch === 1 ? [] : [event.epoch])].join(':')
  const isConsistent =
    team_id === teamId &&
    agent_id === last &&
    event.subject === last &&
    event.id === id &&
    event.type === `console.agent.${action}` &&
    Date.parse(event.time) === changed_at * 1_000
  return isConsistent ? { teamId, agentId: last, epoch: event.epoch, json: JSON.stringify(event) } : undefined
}

function parseEpoch(message: unknown, epoch: string): EventMessage | undefined {
  if (!isEpochEvent(message) || String(message.epoch) !== epoch) return undefined
  return { teamId: EPOCH_SUBJECT, agentId: epoch, epoch: message.epoch, json: '' }
}

/** The members of the contract, in its order. */
function pick(message: AgentEvent): AgentEvent {
  const known = <Part extends object>(part: Part, properties: object) =>
    Object.fromEntries(Object.keys(properties).map((name) => [name, part[name as keyof Part]]))
  return {
    ...known(message, AgentEvent.properties),
    data: known(message.data, data.properties),
  } as AgentEvent
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString())
  } catch {
    return undefined
  }
}
