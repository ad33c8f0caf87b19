import { type Static, Type } from 'typebox'
import { integer, NextCursor, nullable, oneOf, ref, UnixSeconds, Uuid } from './fields.ts'

/** What has changed an agent. */
export const REVISION_ACTIONS = ['created', 'updated', 'restored', 'trust_stage_changed'] as const
export type RevisionAction = (typeof REVISION_ACTIONS)[number]

const RevisionNumber = integer({ minimum: 1, description: 'Revisions of an agent count from 1' })

export const AgentRevision = Type.Object(
  {
    revision: RevisionNumber,
    action: oneOf(REVISION_ACTIONS),
    changed_at: UnixSeconds,
    changed_by: Uuid,
    fields: Type.Array(Type.String(), { description: 'The fields that changed' }),
    restored_revision: nullable(
      integer({ description: 'The revision that was brought back, where that is what happened' }),
    ),
    reason: nullable(Type.String()),
  },
  { $id: 'AgentRevision', description: 'Who changed which fields of an agent, and when' },
)
export type AgentRevision = Static<typeof AgentRevision>

export const AgentRevisionPage = Type.Object(
  {
    results: Type.Array(ref(AgentRevision)),
    next_cursor: NextCursor,
  },
  { $id: 'AgentRevisionPage', description: 'Revisions, newest first' },
)
export type AgentRevisionPage = Static<typeof AgentRevisionPage>

/** Any JSON value. */
const Anything = Type.Unsafe<unknown>({})

export const AgentDiff = Type.Object(
  {
    revision: RevisionNumber,
    against: RevisionNumber,
    changes: Type.Array(
      Type.Object({
        field: Type.String(),
        old: Anything,
        new: Anything,
      }),
    ),
  },
  {
    $id: 'AgentDiff',
    description:
      'Field by field, what an agent had at `against` (old) and has at `revision` (new). Secrets are masked.',
  },
)
export type AgentDiff = Static<typeof AgentDiff>

export const AgentRevisionId = Type.Object({ id: Uuid, revision: RevisionNumber })
export type AgentRevisionId = Static<typeof AgentRevisionId>

export const RevisionPageQuery = Type.Object({
  limit: Type.Optional(integer({ format: 'int32', minimum: 1, maximum: 500, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
})

export const DiffQuery = Type.Object({
  against: Type.Optional(
    integer({ minimum: 1, description: 'The revision to compare with; the one before when absent' }),
  ),
})

export const HISTORY_SCHEMAS = [AgentRevision, AgentRevisionPage, AgentDiff]
