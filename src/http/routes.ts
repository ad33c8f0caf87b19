import fp from 'fastify-plugin'
import type { Logger } from 'pino'
import { PERMISSIONS } from '../api/caller.ts'
import { API_VERSION } from '../api/operation.ts'
import { HTTPValidationError, ProblemBody, ValidationError } from '../api/problem.ts'
import type { Signer } from '../platform/crypto/signer.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Identity } from './auth/identity.ts'
import { jwksRoute, Me, meRoute, type ProtectedResourceOptions, protectedResource } from './auth/routes.ts'
import { type HealthOptions, healthRoutes } from './health.ts'
import { openApi } from './openapi/openapi.ts'
import { landingPage, referencePage } from './openapi/pages.ts'
import { type WebConsoleOptions, webConsole } from './web/web.ts'

/** The named schemas of these routes and of every error. */
export const SERVER_SCHEMAS = [Me, ValidationError, HTTPValidationError, ProblemBody]

const CONSOLE = { path: '', name: 'Agent Console', scopes: PERMISSIONS }

export interface ServerRoutesOptions
  extends Omit<HealthOptions, 'dependencies'>,
    Omit<ProtectedResourceOptions, 'issuer'> {
  identity: Identity
  database: Database
  signer: Signer
  /** The states of upstreams, which are part of the health. Undefined if there is no such upstream. */
  upstreams: Record<string, HealthOptions['dependencies'][string] | undefined>
  /** Undefined if the browser console is not served. */
  web: Omit<WebConsoleOptions, 'issuer' | 'now' | 'log'> | undefined
  now: () => number
  log: Logger
}

/** The routes of the server itself, and the document of all routes that are registered after it. */
export const serverRoutes = fp(
  async (app, options: ServerRoutesOptions) => {
    const { database, identity, signer, upstreams, resources, web, now, log } = options
    const { issuer, issuerState, revocations } = identity
    await app.register(openApi)
    await app.register(healthRoutes, {
      ...options,
      dependencies: {
        database: async () => (await database.state()).state,
        issuer: issuerState,
        ...(revocations && { revocations: revocations.state }),
        ...Object.fromEntries(
          Object.entries(upstreams).flatMap(([name, state]) => (state ? [[name, state]] : [])),
        ),
      },
    })
    await app.register(meRoute)
    await app.register(protectedResource, { ...options, issuer, resources: [CONSOLE, ...resources] })
    await app.register(jwksRoute, { publicKeys: signer.publicKeys })
    if (web) await app.register(webConsole, { ...web, issuer, now, log })
    else await app.register(landingPage, { version: API_VERSION })
    await app.register(referencePage)
  },
  { name: 'server-routes' },
)
