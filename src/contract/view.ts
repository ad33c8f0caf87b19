import { type Static, Type } from 'typebox'
import { described, oneOf, ref, UnixSeconds, Uuid } from './fields.ts'

export const MAX_VIEWS = 100

const SCOPES = ['user', 'team'] as const
export type ViewScope = (typeof SCOPES)[number]

const VIEW_NAME = Type.String({
  minLength: 1,
  maxLength: 100,
  // The first character is no dot: clients resolve `..` in a path.
  pattern: '^[^\\s\\u0000-\\u001f\\u007f/.][^\\u0000-\\u001f\\u007f/]*$',
  description:
    'Name of the view, 1 to 100 characters, unique in its scope. It has no `/` and no control characters, also none that change the ' +
    'direction of text, and begins with neither a space nor a dot.',
})

const CONTENT = {
  query: Type.String({
    maxLength: 4_000,
    description:
      'Query string of the list of agents without the `?`, percent-encoded: filters, `sort` and `limit`. At most 4,000 ' +
      'characters. Other names than those of `GET /v1/agent-configurations`, and `cursor`, get 422. Empty: all agents.',
  }),
  columns: Type.Array(Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_.]*$' }), {
    maxItems: 50,
    description:
      'Columns that the client shows, in their order: names of fields, such as `agent_name` or ' +
      '`latest_evaluation.overall_score`. At most 50. Empty: the client chooses.',
  }),
}

export const SavedViewContent = Type.Object(CONTENT, {
  $id: 'SavedViewContent',
  description: 'What a view shows.',
  examples: [
    { query: 'statuses=active&statuses=under_review&sort=agent_name', columns: ['agent_name', 'model_name'] },
  ],
})
export type SavedViewContent = Static<typeof SavedViewContent>

export const SavedView = Type.Object(
  {
    name: VIEW_NAME,
    scope: oneOf(SCOPES, { description: '`user`: of the caller alone. `team`: of the whole team.' }),
    ...CONTENT,
    updated_at: described(UnixSeconds, 'Time of the last change, Unix time in seconds.'),
    updated_by: described(Uuid, 'User that made the last change.'),
  },
  { $id: 'SavedView', description: 'A view of the list of agents that a user has saved.' },
)
export type SavedView = Static<typeof SavedView>

export const SavedViewList = Type.Object(
  {
    results: Type.Array(ref(SavedView), {
      description: 'The views of the caller, then those of the team, each by name. At most 100 of each.',
    }),
  },
  { $id: 'SavedViewList', description: 'The views that a caller can use.' },
)
export type SavedViewList = Static<typeof SavedViewList>

export const ViewName = Type.Object({ name: VIEW_NAME })

export const ViewQuery = Type.Object({
  scope: Type.Optional(
    oneOf(SCOPES, {
      default: 'user',
      description:
        '`user`: a view of the caller alone. `team`: a view of the whole team; to change one needs the permission `agent:write`. ' +
        'Default: `user`.',
    }),
  ),
})

export const VIEW_SCHEMAS = [SavedViewContent, SavedView, SavedViewList]
