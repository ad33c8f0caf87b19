import { type Static, Type } from 'typebox'
import { described, integer, oneOf, UnixSeconds, Uuid } from './fields.ts'

/** The actions that make a revision. */
export const REVISION_ACTIONS = [
  'created',
  'updated',
  'restored',
  'trust_stage_changed',
  'deleted',
  'recovered',
] as const
export type RevisionAction = (typeof REVISION_ACTIONS)[number]

/** Of the subjects in NATS. */
export const DEFAULT_SUBJECT_PREFIX = 'console.agents'

const constant = <const Value extends string>(value: Value, description: string) =>
  Type.Unsafe<Value>({ type: 'string', const: value, description })

const Epoch = integer({
  minimum: 1,
  description:
    'Begins with 1 and increases when the database is restored from a backup. Revisions of different epochs cannot ' +
    'be compared: a subscriber that sees a new epoch lists the agents again.',
})

const EVENT_TYPES = REVISION_ACTIONS.map((action) => `console.agent.${action}` as const)

/** CloudEvents 1.0 in its JSON format. It contains the names of the changed fields and never their values: a
 * subscriber that needs the values reads the agent at that revision, which takes a permission. */
export const AgentEvent = Type.Object(
  {
    specversion: constant('1.0', 'Version of the CloudEvents specification.'),
    id: Type.String({
      description:
        'Id of the event: `<agent_id>:<revision>`, and after a restore of the database ' +
        '`<agent_id>:<revision>:<epoch>`. An event that is delivered twice has the same id.',
    }),
    source: constant('/v1/agent-configurations', 'Path of the collection that the agent belongs to.'),
    type: oneOf(EVENT_TYPES, { description: 'Kind of the event: `console.agent.` and the action.' }),
    subject: Type.String({ format: 'uuid', description: 'Id of the agent.' }),
    time: Type.String({ format: 'date-time', description: 'Time of the change, RFC 3339.' }),
    datacontenttype: constant('application/json', 'Media type of `data`.'),
    epoch: Epoch,
    traceparent: Type.Optional(
      Type.String({
        pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
        description:
          'Trace of the request that made the change (W3C Trace Context). Absent: the request was not traced.',
      }),
    ),
    data: Type.Object(
      {
        team_id: described(Uuid, 'Team that owns the agent.'),
        agent_id: described(Uuid, 'Id of the agent.'),
        revision: integer({
          minimum: 1,
          description: 'Revision of the agent after the change. Revisions count from 1 without a gap.',
        }),
        action: oneOf(REVISION_ACTIONS, { description: 'What happened to the agent.' }),
        fields: Type.Array(Type.String(), {
          description:
            'Names of the changed fields, never their values; `secrets.<name>` for a named secret.',
        }),
        changed_by: described(Uuid, 'User that made the change.'),
        changed_at: described(UnixSeconds, 'Time of the change, Unix time in seconds.'),
        reason: Type.Optional(
          Type.String({ description: 'Why the user made the change. Absent: the user gave no reason.' }),
        ),
        drifted_sets: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'Configuration sets that own one of the changed fields and did not make the change. Absent: none.',
          }),
        ),
      },
      { description: 'The change.' },
    ),
  },
  { $id: 'AgentEvent', description: 'A change of an agent, as a CloudEvent 1.0.' },
)
export type AgentEvent = Static<typeof AgentEvent>

/** The message that begins an epoch. */
export const EpochEvent = Type.Object(
  {
    specversion: constant('1.0', 'Version of the CloudEvents specification.'),
    id: Type.String({ description: 'Id of the event: `epoch:<epoch>`.' }),
    source: constant('/v1/agent-configurations', 'Path of the collection whose events begin a new epoch.'),
    type: constant('console.epoch.began', 'Kind of the event.'),
    time: Type.String({ format: 'date-time', description: 'When the epoch began, RFC 3339.' }),
    epoch: Epoch,
  },
  { $id: 'EpochEvent', description: 'The beginning of an epoch, as a CloudEvent 1.0.' },
)
export type EpochEvent = Static<typeof EpochEvent>
