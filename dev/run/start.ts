import { DEMO_NAMES } from '../services/catalogue.ts'
import type { Child } from './child.ts'
import { findDatabase } from './database.ts'
import { findNats } from './events.ts'
import { openFleet, type Shown } from './fleet.ts'
import type { Lifetime } from './lifetime.ts'
import type { Ports } from './ports.ts'
import { createProcesses } from './processes.ts'
import { findRedis } from './redis.ts'
import type { State } from './state.ts'
import type { Steps } from './steps.ts'
import { keepToken } from './token.ts'
import { buildWeb } from './web.ts'

export const STEP_NAMES = ['PostgreSQL', 'NATS', 'issuer', 'services', 'web', 'console', 'fleet']

export interface StartOptions {
  environment: NodeJS.ProcessEnv
  ports: Ports
  host: string
  isReset: boolean
  state: State
  lifetime: Lifetime
  steps: Steps
}

export interface Started {
  /** What the printed commands are about. */
  shown: Shown
  apiUrl: string
  issuerUrl: string
  /** Without one of these nothing works. */
  needed: Child[]
  services: Child
}

/** Starts everything, each thing as soon as what it needs is there. */
export async function start(options: StartOptions): Promise<Started> {
  const { environment, isReset, state, lifetime, steps } = options
  const processes = createProcesses(options)
  const isOwn = environment['DEV_SERVERS'] === 'own'
  const apiUrl = processes.urlOf('PORT')
  const issuerUrl = processes.urlOf('ISSUER_PORT')

  const whenReady = async (child: Child) => {
    await child.ready
    return child
  }
  const issuer = steps.run(
    'issuer',
    () => whenReady(processes.startIssuer()),
    () => issuerUrl,
  )
  const services = steps.run(
    'services',
    () => whenReady(processes.startServices()),
    () => ['evolution', ...DEMO_NAMES].join(', '),
  )
  const resetStream = isReset ? environment['NATS_STREAM'] || 'CONSOLE_AGENTS' : undefined
  const database = steps.run(
    'PostgreSQL',
    () => findDatabase({ environment, state, lifetime, isReset, isOwn }),
    ({ where }) => where,
  )
  const nats = steps.run(
    'NATS',
    () => findNats({ named: environment['NATS_URL'], state, lifetime, isOwn, resetStream }),
    ({ where }) => where,
  )
  const web = steps.run(
    'web',
    () => buildWeb(options),
    (what) => what,
  )
  const redis = findRedis(environment['REDIS_URL'])
  const api = Promise.all([database, nats, redis, web]).then(([databaseFound, natsFound, redisFound]) =>
    steps.run(
      'console',
      () => whenReady(processes.startConsole(databaseFound.url, natsFound.url, redisFound.url)),
      () => `${apiUrl}, ${redisFound.where}`,
    ),
  )
  const token = issuer.then(() => keepToken(state, issuerUrl))
  const fleet = Promise.all([token, database, api, services]).then(([text, { url: databaseUrl }]) =>
    steps.run(
      'fleet',
      () => openFleet({ apiUrl, issuerUrl, databaseUrl, token: text }, state, lifetime),
      ({ agents, company }) => `${agents} agents of ${company}`,
    ),
  )
  const [shown, ...children] = await Promise.all([fleet, issuer, api, services, nats])
  const [issuerChild, consoleChild, servicesChild] = children
  return { shown, apiUrl, issuerUrl, needed: [issuerChild, consoleChild], services: servicesChild }
}
