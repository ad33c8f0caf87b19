import { type Static, Type } from 'typebox'
import { described, nullable, ref, UnixSeconds, Uuid } from './fields.ts'

export const ChangedByName = nullable(
  Type.String({
    description:
      'Display name of that user now. null: the tokens of the user have none, it was erased, or it is not stored yet.',
  }),
)

export const User = Type.Object(
  {
    user_id: described(Uuid, 'Id of the user, as in revisions and in the audit log.'),
    name: Type.String({ description: 'Display name of the user, at most 255 characters.' }),
    changed_at: described(UnixSeconds, 'Time since which the console has the name, Unix time in seconds.'),
  },
  {
    $id: 'User',
    description: 'The display name of a user, from the last token that the console took it from.',
  },
)
export type User = Static<typeof User>

export const UserList = Type.Object(
  {
    results: Type.Array(ref(User), {
      description: 'The users whose names the console has, in the order of their ids. Others are left out.',
    }),
  },
  { $id: 'UserList', description: 'Display names of users of the team.' },
)
export type UserList = Static<typeof UserList>

export const UserListQuery = Type.Object({
  ids: Type.Array(Uuid, {
    minItems: 1,
    maxItems: 100,
    description: 'Ids of users, 1 to 100. To pass several, repeat the parameter.',
  }),
})

export const UserId = Type.Object({ user_id: described(Uuid, 'Id of the user, a UUID.') })

export const USER_SCHEMAS = [User, UserList]
