import { type Static, Type } from 'typebox'
import { REVISION_ACTIONS } from '../../api/events.ts'
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
import { CHANGEABLE_COLUMNS } from '../columns.ts'

const revisionNumber = (description: string) => integer({ minimum: 1, description })

export const AgentRevision = Type.Object(
  {
    revision: revisionNumber('Number of the revision. Revisions of an agent count from 1 without a gap.'),
    action: oneOf(REVISION_ACTIONS, { description: 'What made the revision.' }),
    changed_at: described(UnixSeconds, 'Time of the change, Unix time in seconds.'),
    changed_by: described(Uuid, 'User that made the change.'),
    changed_by_name: ChangedByName,
    fields: Type.Array(Type.String(), {
      description: 'Names of the fields that changed; `secrets.<name>` for a named secret.',
    }),
    restored_revision: nullable(
      integer({
        description: 'Revision whose values a restore brought back. null: the action was not a restore.',
      }),
    ),
    reason: nullable(
      Type.String({
        description:
          'Why the user made the change: the header `console-change-reason`, or the `reason` of a trust stage ' +
          'change. null: none was given, or it was removed from history.',
      }),
    ),
    redacted: Type.Array(Type.String(), {
      description:
        'Names of the fields whose previous values were removed from history. Older revisions show a placeholder for ' +
        'them. `reason`: the reason of this revision was removed. Empty when there are none.',
    }),
  },
  { $id: 'AgentRevision', description: 'A change of an agent: who changed which fields, and when.' },
)
export type AgentRevision = Static<typeof AgentRevision>

export const AgentRevisionPage = Type.Object(
  {
    results: Type.Array(ref(AgentRevision), { description: 'Revisions, newest first.' }),
    next_cursor: NextCursor,
  },
  { $id: 'AgentRevisionPage', description: 'A page of revisions.' },
)
export type AgentRevisionPage = Static<typeof AgentRevisionPage>

const anyValue = (description: string) => Type.Unsafe<unknown>({ description })

export const AgentDiff = Type.Object(
  {
    revision: revisionNumber('The revision in the path.'),
    against: revisionNumber('The revision that it is compared with.'),
    changes: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Name of the field; `secrets.<name>` for a named secret.' }),
        old: anyValue('Value of the field at `against`.'),
        new: anyValue('Value of the field at `revision`.'),
      }),
      { description: 'One entry for each field that differs.' },
    ),
  },
  {
    $id: 'AgentDiff',
    description:
      'The differences between two revisions of an agent, field by field, with whole values. Secrets are masked; a ' +
      'secret that changed is listed even if both masks are equal. A value that was removed from history is shown ' +
      'as its placeholder, and differs from every value that was not removed.',
  },
)
export type AgentDiff = Static<typeof AgentDiff>

/** Every agent has its own. */
export const NOT_COMPARED = ['id', 'team_id', 'created_by', 'created_at', 'updated_at']

export const AgentComparison = Type.Object(
  {
    id: described(Uuid, 'The agent in the path.'),
    revision: revisionNumber('The revision of the agent in the path.'),
    with_id: described(Uuid, 'The agent that it is compared with.'),
    with_revision: revisionNumber('The revision of the other agent.'),
    differences: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Name of the field; `secrets.<name>` for a named secret.' }),
        value: anyValue('Value of the field in the agent in the path.'),
        with_value: anyValue('Value of the field in the other agent.'),
      }),
      { description: 'One entry for each field that differs.' },
    ),
  },
  {
    $id: 'AgentComparison',
    description:
      'The differences between two agents, field by field, with whole values; `id`, `team_id` and the fields of ' +
      'creation and last update are left out. Secrets are masked, and only their masks are compared: equal masks ' +
      'do not prove equal secrets. A value that was removed from history is shown as its placeholder, and differs ' +
      'from every value that was not removed.',
  },
)
export type AgentComparison = Static<typeof AgentComparison>

/** What may contain a credential by mistake: JSON, and text without fixed values. */
export const REDACTABLE_FIELDS = CHANGEABLE_COLUMNS.filter(
  ({ type, schema }) => type === 'json' || (type === 'text' && !('enum' in schema)),
).map(({ name }) => name)

/** The reason of a revision can be redacted like a field. */
export const REDACTABLE_REASON = 'reason'

export const RevisionRedaction = Type.Object(
  {
    fields: Type.Array(oneOf([...REDACTABLE_FIELDS, REDACTABLE_REASON]), {
      minItems: 1,
      description:
        'Names of the fields whose values at the revision are removed; `reason` for the reason of the revision.',
    }),
  },
  {
    $id: 'RevisionRedaction',
    description: 'Which values of a revision to remove from history.',
    examples: [{ fields: ['agent_url', 'mcp_config'] }],
  },
)
export type RevisionRedaction = Static<typeof RevisionRedaction>

export const AgentRevisionId = Type.Object({
  id: described(Uuid, 'Id of the agent, a UUID.'),
  revision: revisionNumber('Number of the revision, 1 or more.'),
})
export type AgentRevisionId = Static<typeof AgentRevisionId>

export const RevisionPageQuery = Type.Object({
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})

export const DiffQuery = Type.Object({
  against: Type.Optional(
    revisionNumber(
      'The revision to compare with. Default: the previous revision; revision 1 is compared with itself.',
    ),
  ),
})

export const CompareQuery = Type.Object({
  with: described(Uuid, 'Id of the agent to compare with, a UUID. It may be the same agent.'),
  revision: Type.Optional(revisionNumber('Revision of the agent in the path. Default: the current one.')),
  with_revision: Type.Optional(revisionNumber('Revision of the other agent. Default: the current one.')),
})
export type CompareQuery = Static<typeof CompareQuery>

export const HISTORY_SCHEMAS = [
  AgentRevision,
  AgentRevisionPage,
  AgentDiff,
  AgentComparison,
  RevisionRedaction,
]
