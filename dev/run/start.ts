import { DEMO_NAMES } from '../services/catalogue.ts'
import type { Child } from './child.ts'
import { findDatabase } from './database.ts'
import { findNats } from './events.ts'
import { openFleet, type Shown } from './fleet.ts'
import { probe } from './probe.ts'
import { type ProcessOptions, startConsole, startIssuer, startServices, urlOf } from './processes.ts'
import type { Steps } from './steps.ts'
import { keepToken } from './token.ts'
import { buildWeb } from './web.ts'

export const STEP_NAMES = ['PostgreSQL', 'NATS', 'issuer', 'services', 'web', 'console', 'fleet']

export interface StartOptions extends ProcessOptions {
  isReset: boolean
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
  const { environment, ports, isReset, state, lifetime, steps } = options
  const isOwn = environment['DEV_SERVERS'] === 'own'
  const apiUrl = urlOf(ports, 'PORT')
  const issuerUrl = urlOf(ports, 'ISSUER_PORT')

  const whenReady = async (child: Child) => {
    await child.ready
    return child
  }
  const issuer = steps.run(
    'issuer',
    () => whenReady(startIssuer(options)),
    () => issuerUrl,
  )
  const services = steps.run(
    'services',
    () => whenReady(startServices(options)),
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
  const api = Promise.all([database, nats, redis, web]).then((found) => {
    const [{ url: DATABASE_URL }, { url: NATS_URL }, { url: REDIS_URL, where }] = found
    return steps.run(
      'console',
      () => whenReady(startConsole(options, { DATABASE_URL, NATS_URL, REDIS_URL })),
      () => `${apiUrl}, ${where}`,
    )
  })
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

/** The Redis of REDIS_URL, else that of this machine if it needs no password, else none. */
async function findRedis(named: string | undefined): Promise<{ url: string | undefined; where: string }> {
  if (named) return { url: named, where: 'Redis of REDIS_URL' }
  const isThere = (await probe(6379, 'PING\r\n')).startsWith('+PONG')
  if (!isThere) return { url: undefined, where: 'no Redis, counts request budgets by itself' }
  return { url: 'redis://127.0.0.1:6379', where: 'Redis on 127.0.0.1:6379' }
}
