import fp from 'fastify-plugin'
import { type Static, Type } from 'typebox'
import { auditEvent, auditOrigin } from '../../agent/audit-event.ts'
import type { Caller } from '../../api/caller.ts'
import { described, ref, UnixSeconds, Uuid } from '../../api/fields.ts'
import { isRead } from '../../api/operation.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { createBackgroundWriter } from '../../platform/postgres/background-writer.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { fragment, named, param } from '../../platform/postgres/sql.ts'

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

/** Of the users with these ids, those whose names the console has. */
export async function listUsers({ database }: Core, { teamId }: Caller, ids: string[]): Promise<UserList> {
  const results = await database.of(teamId).read<User>(named('list-users')`
SELECT user_id, name, changed_at FROM users
WHERE team_id = ${teamId} AND user_id = ANY (${ids}::uuid[])
ORDER BY user_id`)
  return { results }
}

export async function eraseUserName(core: Core, caller: Caller, userId: string): Promise<void> {
  const { database, now, newId } = core
  const team = param(caller.teamId)
  const rows = await database.of(caller.teamId).write(named('erase-user-name')`
WITH erased AS (
  DELETE FROM users WHERE team_id = ${team} AND user_id = ${userId} RETURNING user_id
), audited AS (
  ${auditEvent(auditOrigin(caller, newId()), {
    team,
    at: Math.floor(now() / 1_000),
    action: 'user_erased',
    agent: null,
    detail: fragment`json_build_object('user_id', user_id)`,
  })} FROM erased
)
SELECT user_id FROM erased`)
  if (rows.length === 0) throw new Problem('user_not_found')
}

/** A name that was erased is stored again at the latest this long after the next action of the user. */
const RENEW_MS = 60 * 60 * 1_000

type TeamUser = User & { team_id: string }

/** Stores the names of callers in the background. */
export class UserNames {
  readonly #now: () => number
  readonly #writer: ReturnType<typeof createBackgroundWriter<TeamUser>>

  constructor({ database, log, now }: Pick<Core, 'database' | 'log' | 'now'>) {
    this.#now = now
    this.#writer = createBackgroundWriter<TeamUser>({
      what: 'names of users',
      insert: (users) => storeNames(database.system, users),
      log,
      renew: {
        key: ({ team_id, user_id }) => `${team_id} ${user_id}`,
        content: ({ name }) => name,
        afterMs: RENEW_MS,
      },
    })
  }

  /** Stores the name that the token of the caller has. Returns at once. */
  remember({ teamId, userId, name }: Pick<Caller, 'teamId' | 'userId' | 'name'>): void {
    if (name === null) return
    const changedAt = Math.floor(this.#now() / 1_000)
    void this.#writer.add({ team_id: teamId, user_id: userId, name, changed_at: changedAt })
  }

  close(): Promise<void> {
    return this.#writer.close()
  }
}

/** Of several names of a user, the last one counts. */
async function storeNames(sql: Statements, users: TeamUser[]): Promise<void> {
  // In the order of the key, so that two replicas that store the same users do not wait for each other in a circle.
  await sql.write(named('store-user-names')`
INSERT INTO users (team_id, user_id, name, changed_at)
SELECT DISTINCT ON (team_id, user_id) team_id, user_id, name, changed_at
FROM unnest(
  ${users.map(({ team_id }) => team_id)}::uuid[],
  ${users.map(({ user_id }) => user_id)}::uuid[],
  ${users.map(({ name }) => name)}::text[],
  ${users.map(({ changed_at }) => changed_at)}::bigint[]
) WITH ORDINALITY
  AS given (team_id, user_id, name, changed_at, place)
ORDER BY team_id, user_id, place DESC
ON CONFLICT (team_id, user_id) DO UPDATE SET name = excluded.name, changed_at = excluded.changed_at
WHERE users.name <> excluded.name`)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request may leave a record in the audit log. By default a GET does not, and every other method
     * does. */
    isAudited?: boolean
  }
}

/** Stores the display name of a caller whose request has succeeded and may have left a record in the audit log. */
export const rememberUsers = fp(
  async (app, { names }: { names: UserNames }) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions } = request
      // Absent on routes that need no user.
      const caller = request.caller as typeof request.caller | undefined
      const isAudited = routeOptions.config.isAudited ?? !isRead(method)
      if (caller && isAudited && reply.statusCode < 400) names.remember(caller)
      done()
    })
  },
  { name: 'remember-users' },
)
