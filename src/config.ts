import { DEFAULT_SUBJECT_PREFIX } from './contract/asyncapi.ts'
import type { EventStreamSettings } from './platform/event-stream.ts'
import type { ClaimNames } from './platform/identity.ts'
import { LOG_LEVELS, type LogLevel } from './platform/log.ts'
import type { KeyringEntry } from './platform/secrets.ts'
import type { Service } from './services/service.ts'
import { readServicesFile, ServicesFileInvalid } from './services/services-file.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly metricsPort: number
  readonly databaseUrl: string
  readonly auth: {
    readonly issuer: string
    readonly audience: string
    readonly jwksUrl: string | undefined
    readonly claims: ClaimNames
  }
  readonly evolution:
    | { readonly url: string; readonly deadlineMs: number; readonly maxResponseBytes: number }
    | undefined
  readonly events: EventsConfig | undefined
  readonly services: readonly Service[]
  readonly secretsKeys: readonly KeyringEntry[]
  readonly logLevel: LogLevel
  readonly shutdownDelayMs: number
  readonly shutdownPatienceMs: number
}

export interface EventsConfig {
  readonly natsUrl: string
  readonly stream: EventStreamSettings
  /** Where this process relays: a connection that LISTEN works on. Undefined where another process does. */
  readonly relayDatabaseUrl: string | undefined
}

/** What a process needs that does nothing but relay. */
export interface RelayConfig extends Pick<Config, 'host' | 'metricsPort' | 'databaseUrl' | 'logLevel'> {
  readonly events: EventsConfig
}

type Environment = Record<string, string | undefined>

/** Every fault of the environment at once, so that it is mended in one go. */
export class ConfigInvalid extends Error {
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.name = 'ConfigInvalid'
  }
}

/** Reads the environment once. What comes out is checked, frozen and passed on. */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const { read, isSet } = reader
  return reader.finish({
    host: read('HOST', asIs, '127.0.0.1'),
    port: read('PORT', port, 8080),
    metricsPort: read('METRICS_PORT', port, 9464),
    databaseUrl: read('DATABASE_URL', databaseUrl),
    auth: {
      issuer: read('AUTH_ISSUER', (text) => url(text, ['https:', 'http:'])),
      audience: read('AUTH_AUDIENCE', asIs),
      jwksUrl: isSet('AUTH_JWKS_URL')
        ? read('AUTH_JWKS_URL', (text) => url(text, ['https:', 'http:']))
        : undefined,
      claims: {
        user: read('AUTH_CLAIM_USER', asIs, 'sub'),
        team: read('AUTH_CLAIM_TEAM', asIs, 'team_id'),
        scope: read('AUTH_CLAIM_SCOPE', asIs, 'scope'),
        permissions: read('AUTH_CLAIM_PERMISSIONS', asIs, 'permissions'),
      },
    },
    evolution: isSet('EVOLUTION_URL')
      ? {
          url: read('EVOLUTION_URL', upstreamUrl),
          deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => integer(text, 1, 60_000), 5_000),
          maxResponseBytes: 1024 * 1024,
        }
      : undefined,
    events: isSet('NATS_URL') ? readEvents(reader) : undefined,
    services: read('SERVICES_FILE', readServicesFile, []),
    secretsKeys: read('SECRETS_KEYS', keyring),
    logLevel: read('LOG_LEVEL', (text) => oneOf(text, LOG_LEVELS), 'info'),
    shutdownPatienceMs: read('SHUTDOWN_PATIENCE_MS', (text) => integer(text, 0, 60_000), 10_000),
    shutdownDelayMs: read('SHUTDOWN_DELAY_MS', (text) => integer(text, 0, 60_000), 5_000),
  })
}

export function readRelayConfig(environment: Environment): RelayConfig {
  const reader = createReader(environment)
  const { read } = reader
  return reader.finish({
    host: read('HOST', asIs, '127.0.0.1'),
    metricsPort: read('METRICS_PORT', port, 9464),
    databaseUrl: read('DATABASE_URL', databaseUrl),
    events: readEvents(reader),
    logLevel: read('LOG_LEVEL', (text) => oneOf(text, LOG_LEVELS), 'info'),
  })
}

function readEvents({ read, isSet }: Reader): EventsConfig {
  const relays = read('RELAY', (text) => oneOf(text, ['on', 'off']), 'on') === 'on'
  const relayDatabase = isSet('RELAY_DATABASE_URL') ? 'RELAY_DATABASE_URL' : 'DATABASE_URL'
  return {
    natsUrl: read('NATS_URL', natsUrl),
    stream: {
      name: read('NATS_STREAM', natsName, 'CONSOLE_AGENTS'),
      subjectPrefix: read('NATS_SUBJECT_PREFIX', natsSubject, DEFAULT_SUBJECT_PREFIX),
      replicas: read('NATS_REPLICAS', (text) => integer(text, 1, 5), 1),
      maxAgeHours: read('EVENTS_MAX_AGE_HOURS', (text) => integer(text, 1, 24 * 365), 7 * 24),
      maxBytes: read('EVENTS_MAX_BYTES', (text) => integer(text, 1024 * 1024, 2 ** 50), 1024 ** 3),
    },
    relayDatabaseUrl: relays ? read(relayDatabase, databaseUrl, '') : undefined,
  }
}

type Reader = ReturnType<typeof createReader>

function createReader(environment: Environment) {
  const faults: string[] = []
  return {
    /** A value that is missing or wrong is reported and read as undefined: nobody gets to see it. */
    read: <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
      const text = environment[name]?.trim()
      if (text === undefined || text === '') {
        if (fallback === undefined) faults.push(`${name} is missing`)
        return fallback as T
      }
      try {
        return parse(text)
      } catch (error) {
        const found = error instanceof ServicesFileInvalid ? error.faults : [(error as Error).message]
        faults.push(...found.map((fault) => `${name} ${fault}`))
        return undefined as T
      }
    },
    /** Empty is absent, as it is for every other variable: compose files pass `${NAME:-}`. */
    isSet: (name: string) => (environment[name] ?? '').trim() !== '',
    finish: <T extends object>(config: T): T => {
      if (faults.length > 0) throw new ConfigInvalid([...new Set(faults)])
      return deepFreeze(config)
    },
  }
}

const asIs = (text: string) => text

export function integer(text: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new Error(`must be a whole number from ${least} to ${most}`)
  }
  return value
}

function port(text: string): number {
  return integer(text, 0, 65_535)
}

function url(text: string, protocols: string[]): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`)
  }
  return text
}

function databaseUrl(text: string): string {
  return url(text, ['postgres:', 'postgresql:'])
}

/** One server or several of a cluster, with commas between them. */
function natsUrl(text: string): string {
  for (const one of text.split(',')) url(one.trim(), ['nats:', 'tls:'])
  return text
}

function natsName(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text)) throw new Error('must be letters, digits, _ and - only')
  return text
}

function natsSubject(text: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(text)) throw new Error('must be words with dots between them')
  return text
}

/** A path in front of an upstream's own is kept; what would be dropped in silence is refused. */
function upstreamUrl(text: string): string {
  const { username, password, search, hash } = new URL(url(text, ['https:', 'http:']))
  if (username || password || search || hash) throw new Error('must have no credentials, query or fragment')
  return text
}

function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  if (!(values as readonly string[]).includes(text)) throw new Error(`must be one of ${values.join(', ')}`)
  return text as Value
}

/** `id:base64,id:base64`. A fault names the key by its place: its text may be the key. */
export function keyring(text: string): KeyringEntry[] {
  const entries = text.split(',').map((entry, index) => {
    const [id = '', base64 = '', ...rest] = entry.trim().split(':')
    const key = Buffer.from(base64, 'base64')
    if (!/^[\w.-]{1,64}$/.test(id) || rest.length > 0 || key.length !== 32) {
      throw new Error(`must be id:base64,id:base64 with 32 bytes in each key; entry ${index + 1} is not`)
    }
    return { id, key }
  })
  if (new Set(entries.map(({ id }) => id)).size < entries.length) throw new Error('names two keys alike')
  return entries
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member)
  }
  return Object.freeze(value)
}
