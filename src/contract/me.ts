import { type Static, Type } from 'typebox'
import { described, nullable, oneOf, UnixSeconds, Uuid } from './fields.ts'
import { PERMISSIONS } from './permissions.ts'

export const Me = Type.Object(
  {
    user_id: described(Uuid, 'User of the token. Revisions and the audit log show it.'),
    team_id: described(Uuid, 'Team of the request. The request sees only the agents of this team.'),
    name: nullable(Type.String({ description: 'Display name of the user. null: the token has none.' })),
    permissions: Type.Array(oneOf(PERMISSIONS), {
      description:
        'Permissions that the token grants at the console. Other values of the token are left out.',
    }),
    client_id: nullable(
      Type.String({
        description: 'Application that the token was issued to. null: the token does not say it.',
      }),
    ),
    expires_at: described(UnixSeconds, 'Time when the token expires, Unix time in seconds.'),
  },
  { $id: 'Me', description: 'Who the caller is for the console.' },
)
export type Me = Static<typeof Me>
