import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import type { UserList } from '../contract/user.ts'
import { createBackgroundWriter } from '../platform/background-writer.ts'
import { auditOrigin } from '../platform/database/audit-event.ts'
import type { Sessions, Statements } from '../platform/database/database.ts'
import type { Caller } from '../platform/identity/identity.ts'
import { eraseName, listUsers, storeNames, type TeamUser } from './store.ts'

export interface UsersDeps {
  sql: Sessions
  /** For the names that are stored in the background. */
  system: Statements
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** A name that was erased is stored again at the latest this long after the next action of the user. */
const RENEW_MS = 60 * 60 * 1_000

export type Users = ReturnType<typeof createUsers>

export function createUsers({ sql, system, log, now, newId }: UsersDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)
  const names = createBackgroundWriter<TeamUser>({
    what: 'names of users',
    insert: (users) => storeNames(system, users),
    log,
    renew: {
      key: ({ team_id, user_id }) => `${team_id} ${user_id}`,
      content: ({ name }) => name,
      afterMs: RENEW_MS,
    },
  })

  return {
    /** Stores the name that the token of the caller has. Returns at once. */
    remember: ({ teamId, userId, name }: Pick<Caller, 'teamId' | 'userId' | 'name'>): void => {
      if (name === null) return
      void names.add({ team_id: teamId, user_id: userId, name, changed_at: nowSeconds() })
    },

    list: async ({ teamId }: Caller, ids: string[]): Promise<UserList> => ({
      results: await listUsers(sql.of(teamId), teamId, ids),
    }),

    async erase(caller: Caller, userId: string): Promise<void> {
      const isErased = await eraseName(
        sql.of(caller.teamId),
        caller.teamId,
        userId,
        nowSeconds(),
        auditOrigin(caller, newId()),
      )
      if (!isErased) throw new Problem('user_not_found')
    },

    close: names.close,
  }
}
