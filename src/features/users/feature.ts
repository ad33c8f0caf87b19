import fp from 'fastify-plugin'
import type { Core, Feature } from '../../core.ts'
import { userRoutes } from './routes.ts'
import { createUsers, rememberUsers, USER_SCHEMAS, type Users } from './users.ts'

export interface UserFeature extends Feature, Pick<Users, 'remember'> {}

/** The display names of users. */
export function userFeature(core: Core): UserFeature {
  const { database } = core
  const users = createUsers({ ...core, sql: database, system: database.system })
  return {
    remember: users.remember,
    schemas: USER_SCHEMAS,
    routes: fp(async (app) => {
      app.addHook('onClose', () => users.close())
      await app.register(rememberUsers, users)
      await app.register(userRoutes, { users })
    }),
  }
}
