import { randomBytes, randomUUID } from 'node:crypto'
import { onFreePort } from '../../dev/free-port.ts'
import { type App, buildApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type Core, openCore } from '../../src/core.ts'
import { Relay } from '../../src/features/events/relay.ts'
import type { MountOptions } from '../../src/features/services/mount/routes.ts'
import { close } from '../../src/platform/async.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { createMetrics } from '../../src/platform/observe/metrics.ts'
import { createDatabase } from '../../src/platform/postgres/database.ts'
import { closeAfter } from './close-after.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type EvolutionService, startEvolutionService } from './evolution-service/server.ts'
import { type Issuer, startIssuer } from './issuer/issuer.ts'

export interface Reply<Body = unknown> {
  status: number
  headers: Headers
  body: Body
  text: string
}

export interface RequestOptions {
  token?: string | null
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  raw?: string | Buffer
}

export interface Person {
  user: string
  team: string
  token: string
}

export interface TestConsole {
  url: string
  app: App
  core: Core
  pool: Config['pool']
  issuer: Issuer
  /** The evolution service behind this console. */
  evolution: EvolutionService
  database: TestDatabase
  /** Everything logged so far, a JSON text a line. */
  logLines: string[]
  /** A person with all permissions, in a team of its own unless told otherwise. */
  person: (options?: { user?: string; team?: string; scope?: string }) => Promise<Person>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a body
  request: <Body = any>(method: string, path: string, options?: RequestOptions) => Promise<Reply<Body>>
  close: () => Promise<void>
}

interface Limits {
  lockTimeoutMs: number
  redisMaxWaitMs: number
  maxEventLoopDelayMs: number
}

export interface ConsoleOptions {
  overrides?: Partial<Pick<Core, 'now' | 'newId'>>
  environment?: Record<string, string>
  /** What production does not let an operator change. A busy machine must not make the console refuse the few requests of a test. */
  limits?: Partial<Limits>
  /** Publishes keys and signs tokens when absent. Closed with the console. */
  issuer?: Issuer
  /** What is mounted. Nothing when absent. */
  mount?: (core: Core) => MountOptions
  /** Adds to the app before it listens. */
  extend?: (app: App) => void
}

/** A console for the tests of the calling file or suite: closed after the last of them. */
export async function useConsole(options: ConsoleOptions = {}): Promise<TestConsole> {
  const running = await startConsole(options)
  closeAfter(() => running.close())
  return running
}

function withLimits(config: Config, limits: Partial<Limits> = {}): Config {
  const { lockTimeoutMs = 5_000, redisMaxWaitMs = 10_000, maxEventLoopDelayMs = 0 } = limits
  return {
    ...config,
    pool: { ...config.pool, lockTimeoutMs, connectTimeoutMs: 30_000 },
    redis: config.redis && { ...config.redis, maxWaitMs: redisMaxWaitMs },
    maxEventLoopDelayMs,
  }
}

/** A second replica of a console. One replica makes the changes of an agent one after the other; two race. */
export async function useReplica(running: TestConsole): Promise<TestConsole> {
  const { pool } = running
  const database = createDatabase(running.database.url, running.core.log, pool)
  const app = await buildApp({ ...running.core, database, metrics: createMetrics() })
  closeAfter(async () => {
    await app.close()
    await database.close()
  })
  const port = await onFreePort((free) => app.listen({ host: '127.0.0.1', port: free }))
  const url = `http://127.0.0.1:${port}`
  return { ...running, app, url, request: (...options) => request(url, ...options) }
}

/** The console as production builds it, on a free port, with a database and an issuer of its own. */
export async function startConsole(options: ConsoleOptions = {}): Promise<TestConsole> {
  // Closes all that is open if the configuration is invalid, or something does not start.
  await using opened = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opened.defer(() => database.drop())
  const issuer = opened.adopt(options.issuer ?? (await startIssuer({ grants: false })), close)
  const evolution = await startEvolutionService({ issuer: issuer.url, audience: issuer.audience })
  opened.adopt(evolution, close)
  const logLines: string[] = []
  const read = readConfig({
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: database.url,
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: issuer.audience,
    EVOLUTION_URL: evolution.url,
    // A busy machine must not make the console refuse the few requests of a test.
    DATABASE_MAX_WAIT_MS: '10000',
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...options.environment,
  })
  const config = withLimits(read, options.limits)
  const log = createLog('debug', { write: (line) => void logLines.push(line) })
  const core = opened.adopt(openCore(config, { log, ...options.overrides }), close)
  const { events } = core
  const databaseUrl = config.events?.relayDatabaseUrl
  if (events && databaseUrl) opened.adopt(new Relay({ ...core, stream: events, databaseUrl }), close)
  const app = opened.adopt(await buildApp(core, options.mount?.(core)), close)
  options.extend?.(app)
  const port = await onFreePort((free) => app.listen({ host: '127.0.0.1', port: free }))
  const url = `http://127.0.0.1:${port}`
  const running = opened.move()

  return {
    url,
    app,
    core,
    pool: config.pool,
    issuer,
    evolution,
    database,
    logLines,
    person: async ({ user = randomUUID(), team = randomUUID(), scope } = {}) => ({
      user,
      team,
      token: await issuer.token({ user, team, ...(scope === undefined ? {} : { scope }) }),
    }),
    request: (method, path, requestOptions) => request(url, method, path, requestOptions),
    close: () => running.disposeAsync(),
  }
}

async function request<Body>(
  base: string,
  method: string,
  path: string,
  { token, headers = {}, json, raw }: RequestOptions = {},
): Promise<Reply<Body>> {
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
    redirect: 'manual',
  })
  const text = await response.text()
  // Not for lines of JSON.
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text !== '' ? JSON.parse(text) : undefined) as Body,
    text,
  }
}
