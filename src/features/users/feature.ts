import fp from 'fastify-plugin'
import type { Core, Feature } from '../../core.ts'
import { userRoutes } from './routes.ts'
import { rememberUsers, USER_SCHEMAS, UserNames } from './users.ts'

export interface UserFeature extends Feature {
  names: UserNames
}

/** The display names of users. */
export function userFeature(core: Core): UserFeature {
  const names = new UserNames(core)
  return {
    names,
    schemas: USER_SCHEMAS,
    routes: fp(async (app) => {
      app.addHook('onClose', () => names.close())
      await app.register(rememberUsers, { names })
      await app.register(userRoutes, { core })
    }),
  }
}
