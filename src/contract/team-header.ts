import { Type } from 'typebox'

export const TEAM_HEADER = 'console-team'

/** The header of every operation that needs a team. `src/http/authenticate.ts` reads it. */
export const TeamHeader = Type.Optional(
  Type.String({
    description:
      'The team that the request acts for: a value of the team claim of the token, or the UUID of the team. Needed only if ' +
      'the token has several teams.',
  }),
)
