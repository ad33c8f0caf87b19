import { type Static, Type } from 'typebox'
import { integer } from './fields.ts'

/** The document at `AUTH_REVOCATIONS_URL`. Unknown members are errors: a misspelt one would revoke nothing. */
export const RevocationList = Type.Object(
  {
    tokens: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: 100_000,
        description: 'Ids (`jti`) of revoked tokens. An id can be removed when its token has expired.',
      }),
    ),
    users: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({
              minLength: 1,
              maxLength: 1_000,
              description: 'The value of the user claim, or the UUID of the user in the console.',
            }),
            before: Type.Optional(
              integer({
                minimum: 0,
                description:
                  'Tokens that were issued (`iat`) before this time are revoked, Unix time in seconds. Without it, every token is.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 10_000, description: 'Users whose tokens are revoked.' },
      ),
    ),
  },
  { additionalProperties: false },
)
export type RevocationList = Static<typeof RevocationList>
