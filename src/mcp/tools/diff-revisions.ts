import { Type } from 'typebox'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { revisionUri, type ShortenedValue, shorten } from '../long-values.ts'
import { defineTool } from '../tool.ts'
import { SHORTENED } from './get-agent.ts'
import { Id, Input, normalId, RequestId, Revision } from './inputs.ts'

export const diffRevisions = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'diff_revisions',
      title: 'Diff revisions',
      description:
        'Returns the fields that differ between two revisions of an agent, with both values. Secrets are masked.',
      permission: 'agent:read',
      effect: 'reads',
      input: Input({
        id: Id,
        revision: Revision('The newer revision.'),
        against: Type.Optional(Revision('The older one. Default: the revision before.')),
      }),
      output: Type.Object({
        revision: Type.Integer(),
        against: Type.Integer(),
        changes: Type.Array(Type.Object({ field: Type.String() }), {
          description: 'Each has old (at against) and new (at revision).',
        }),
        shortened: SHORTENED,
        request_id: RequestId,
      }),
      run: async ({ id: given, revision, against }, { caller, withPlace }) => {
        const id = normalId(given)
        const diff = await withPlace('reads', undefined, () => agents.diff(caller, id, revision, against))
        const shortened: ShortenedValue[] = []
        const at = (field: string, value: unknown, revisionOfValue: number) =>
          shorten(value, { field, resource: revisionUri(id, revisionOfValue) }, shortened)
        const changes = diff.changes.map(({ field, old, new: next }) => ({
          field,
          old: at(field, old, diff.against),
          new: at(field, next, diff.revision),
        }))
        return {
          summary: `${changes.length} fields of agent ${id} differ between the revisions ${diff.against} and ${diff.revision}.`,
          data: { revision: diff.revision, against: diff.against, changes, shortened },
          uri: revisionUri(id, revision),
        }
      },
    },
    confirmations,
  )
