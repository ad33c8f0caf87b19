import { type Static, Type } from 'typebox'
import { isNeverNull, ORIGIN_FIELDS, optionalSchemas, SETTABLE_FIELDS } from '../../agent/fields.ts'
import { Agent } from '../../agent/schema.ts'
import {
  ChangedByName,
  described,
  integer,
  NextCursor,
  nullable,
  oneOf,
  PageCursor,
  PageLimit,
  ref,
  UnixSeconds,
  Uuid,
} from '../../api/fields.ts'

export const MAX_SETS = 100
export const MAX_AGENTS_OF_SET = 10_000

const NAME = { pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' }
export const AGENT_KEY = new RegExp(NAME.pattern)
const NAME_RULE =
  '1 to 63 lower-case letters, digits, dots, underscores and hyphens; it begins with a letter or a digit.'

const SetName = Type.String({ ...NAME, description: `Name of the configuration set: ${NAME_RULE}` })
const AgentKey = Type.String({ ...NAME, description: `Name of the agent in the set: ${NAME_RULE}` })

export const SetPath = Type.Object({ set: SetName })
export const ManagedAgentPath = Type.Object({ set: SetName, key: AgentKey })
export type ManagedAgentPath = Static<typeof ManagedAgentPath>

const FIELDS = { ...SETTABLE_FIELDS, ...ORIGIN_FIELDS }

/** The fields that a set can own, in the order in which validation errors are reported. */
export const SPEC_FIELDS = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

/** Whether a field can be cleared. */
export const isNullableField = (field: string): boolean =>
  Object.hasOwn(FIELDS, field) && !isNeverNull(FIELDS[field as keyof typeof FIELDS])

export const AgentSpec = Type.Object(optionalSchemas(FIELDS), {
  $id: 'AgentSpec',
  additionalProperties: false,
  description:
    'The fields of an agent that a configuration set owns, with their values. `null`: the field is owned and has ' +
    'no value. An unknown field, and `null` for a field that is never null, get 422. A secret is sent in clear ' +
    'text; a mask gets 422.',
})
export type AgentSpec = Static<typeof AgentSpec>

const FieldName = oneOf(SPEC_FIELDS)

export const ManagedAgentWrite = Type.Object(
  {
    spec: ref(AgentSpec, {
      description:
        'What the set owns: exactly these fields. A new agent needs `agent_name` and `model_name`; its other ' +
        'fields get their defaults and belong to no set.',
    }),
    adopt: Type.Optional(
      described(
        Uuid,
        'Id of an existing agent of the team: the set adopts it under this key, in place of creating one. Default: ' +
          'create an agent if ' +
          'the set has none of this key.',
      ),
    ),
    force: Type.Optional(
      Type.Array(FieldName, {
        maxItems: SPEC_FIELDS.length,
        description:
          'Names of fields to overwrite even if another writer has changed them since the set applied them and the ' +
          'spec changes them too. Default: none; such a request gets 409 `field_drifted`.',
      }),
    ),
  },
  {
    $id: 'ManagedAgentWrite',
    additionalProperties: false,
    description: 'The desired state of one agent of a configuration set.',
    examples: [
      {
        spec: {
          agent_name: 'Invoice helper',
          model_name: 'gpt-5.2',
          skills: [{ id: 'refunds', name: 'Refunds' }],
        },
      },
    ],
  },
)
export type ManagedAgentWrite = Static<typeof ManagedAgentWrite>

const anyValue = (description: string) => Type.Unsafe<unknown>({ description })

const FieldChange = Type.Object({
  field: Type.String({ description: 'Name of the field.' }),
  old: anyValue('Value before. null for `api_key` and for a new agent. A token in it is masked.'),
  new: anyValue('Value after. null for `api_key`. A token in it is masked.'),
  secret_changed: Type.Boolean({
    description:
      'true: the secret in the field changes, that is `api_key` or the token in `white_box_config`.',
  }),
  drifted: Type.Boolean({
    description:
      'true: another writer had changed the field since the set applied it, and this request replaces that value.',
  }),
})
export type FieldChange = Static<typeof FieldChange>

const AppliedRevision = integer({
  minimum: 1,
  description: 'The revision at which the owned fields had the values of the set.',
})

export const ManagedAgentResult = Type.Object(
  {
    agent: ref(Agent, {
      description:
        'The agent after the request, with masked secrets. With `dry_run`, a new agent has an `id` of zeros.',
    }),
    revision: integer({
      minimum: 0,
      description:
        'Revision of the agent after the request. With `dry_run`, its revision now: send it in `If-Match`. 0: the ' +
        'request would create the agent: send `If-None-Match: *`.',
    }),
    applied_revision: integer({
      minimum: 0,
      description:
        'The revision at which the owned fields have the values of the set. With `dry_run`, as `revision`.',
    }),
    changes: Type.Array(FieldChange, {
      description: 'The fields that the request changes. Empty: the agent has these values already.',
    }),
    released: Type.Array(Type.String(), {
      description:
        'Fields that the set owned and that the spec no longer has. They are never null, so they keep their values ' +
        'and belong to no set. A field that can be null is cleared instead.',
    }),
  },
  {
    $id: 'ManagedAgentResult',
    description: 'What a request to apply a spec did, or would do with `dry_run`.',
  },
)
export type ManagedAgentResult = Static<typeof ManagedAgentResult>

const ManagedAgent = Type.Object(
  {
    key: AgentKey,
    agent_id: described(Uuid, 'Id of the agent.'),
    revision: integer({ minimum: 1, description: 'Current revision of the agent.' }),
    applied_revision: AppliedRevision,
    fields: Type.Array(Type.String(), { description: 'Names of the fields that the set owns.' }),
    applied_at: described(UnixSeconds, 'Time when the set last took this state, Unix time in seconds.'),
    applied_by: described(Uuid, 'User that applied it.'),
  },
  { $id: 'ManagedAgent', description: 'An agent of a configuration set.' },
)
export type ManagedAgent = Static<typeof ManagedAgent>

export const ManagedAgentPage = Type.Object(
  {
    results: Type.Array(ref(ManagedAgent), {
      description: 'Agents of the set, by key. Deleted ones are left out.',
    }),
    next_cursor: NextCursor,
  },
  { $id: 'ManagedAgentPage', description: 'A page of the agents of a configuration set.' },
)
export type ManagedAgentPage = Static<typeof ManagedAgentPage>

export const ConfigurationSetList = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        name: SetName,
        agents: integer({
          format: 'int32',
          description: 'Number of agents, with those that are deleted and can be recovered.',
        }),
      }),
      { description: `The configuration sets of the team, by name. At most ${MAX_SETS}.` },
    ),
  },
  {
    $id: 'ConfigurationSetList',
    description: 'The configuration sets of a team. A set exists while it has an agent.',
  },
)
export type ConfigurationSetList = Static<typeof ConfigurationSetList>

const DriftedField = Type.Object({
  field: Type.String({ description: 'Name of the field.' }),
  applied: anyValue(
    'The value that the set applied. null for `api_key`; a token in it is masked; a placeholder if it was removed ' +
      'from history.',
  ),
  live: anyValue('The value that the agent has now. null for `api_key`; a token in it is masked.'),
  secret_changed: Type.Boolean({
    description:
      'true: the secret in the field changed, that is `api_key` or the token in `white_box_config`.',
  }),
  revision: integer({ minimum: 1, description: 'The last revision that changed the field.' }),
  changed_at: described(UnixSeconds, 'Time of that revision, Unix time in seconds.'),
  changed_by: described(Uuid, 'User that made it.'),
  changed_by_name: ChangedByName,
})
export type DriftedField = Static<typeof DriftedField>

const AgentDrift = Type.Object(
  {
    key: AgentKey,
    agent_id: described(Uuid, 'Id of the agent.'),
    revision: integer({ minimum: 1, description: 'Current revision of the agent.' }),
    applied_revision: AppliedRevision,
    fields: Type.Array(DriftedField, {
      description: 'The owned fields whose values differ from what the set applied.',
    }),
  },
  { $id: 'AgentDrift', description: 'The drift of one agent of a configuration set.' },
)
export type AgentDrift = Static<typeof AgentDrift>

export const AgentDriftPage = Type.Object(
  {
    results: Type.Array(ref(AgentDrift), {
      description:
        'Agents with drift, by key. A page can have fewer results than `limit`, or none, although there is a next ' +
        'page.',
    }),
    next_cursor: nullable(
      Type.String({ description: 'Send it as `cursor` to get the next page. null on the last page.' }),
    ),
  },
  { $id: 'AgentDriftPage', description: 'A page of the drift of a configuration set.' },
)
export type AgentDriftPage = Static<typeof AgentDriftPage>

/** Values of an agent can have 512 KiB. */
const MAX_DRIFT_PAGE = 50

export const ManagedAgentPageQuery = Type.Object({
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})

export const DriftQuery = Type.Object({
  limit: Type.Optional(
    integer({
      format: 'int32',
      minimum: 1,
      maximum: MAX_DRIFT_PAGE,
      default: 20,
      description: `Maximum number of agents in the page, 1 to ${MAX_DRIFT_PAGE}. Default: 20.`,
    }),
  ),
  cursor: Type.Optional(PageCursor),
})

export const ApplyHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      pattern: '^\\*$',
      description:
        '`*`: the set must have no agent of this key; else the response is 412. Default: no condition.',
    }),
  ),
})

export const CONFIGURATION_SET_SCHEMAS = [
  AgentSpec,
  ManagedAgentWrite,
  ManagedAgentResult,
  ManagedAgent,
  ManagedAgentPage,
  ConfigurationSetList,
  AgentDrift,
  AgentDriftPage,
]
