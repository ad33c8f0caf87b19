import { DEFAULT_SUBJECT_PREFIX } from './contract/asyncapi.ts'
import type { PoolOptions } from './platform/database.ts'
import type { ClaimNames } from './platform/identity.ts'
import type { EventStreamSettings } from './platform/jetstream.ts'
import type { LaneOptions } from './platform/lanes.ts'
import { LOG_LEVELS, type LogLevel } from './platform/log.ts'
import type { KeyringEntry } from './platform/secrets.ts'
import type { Service } from './services/file/service.ts'
import { readServicesFile, ServicesFileInvalid } from './services/file/services-file.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly metricsPort: number
  readonly databaseUrl: string
  readonly pool: LaneOptions & PoolOptions
  readonly auth: {
    readonly issuer: string
    readonly audience: string
    readonly jwksUrl: string | undefined
    readonly claims: ClaimNames
  }
  readonly evolution:
    | {
        readonly url: string
        readonly deadlineMs: number
        readonly maxResponseBytes: number
        readonly maxInFlight: number
      }
    | undefined
  readonly events: EventsConfig | undefined
  readonly services: readonly Service[]
  /** Undefined if this process does no background work. */
  readonly maintenance: MaintenanceConfig | undefined
  readonly secretsKeys: readonly KeyringEntry[]
  /** How long a deleted agent can be recovered. 0: not at all. */
  readonly recoverDays: number
  /** Serves the API reference at /docs. */
  readonly hasReference: boolean
  readonly connections: { readonly max: number; readonly maxUnsentBytes: number; readonly stallMs: number }
  readonly watchLimits: { readonly perUser: number; readonly perTeam: number; readonly perProcess: number }
  /** Bytes of request bodies in memory. */
  readonly maxReceivedBytes: number
  readonly logLevel: LogLevel
  readonly shutdownDelayMs: number
  readonly shutdownTimeoutMs: number
}

export interface EventsConfig {
  readonly natsUrl: string
  readonly stream: EventStreamSettings
  /** Must support LISTEN. Undefined if this process does not run a relay. */
  readonly relayDatabaseUrl: string | undefined
}

export interface MaintenanceConfig {
  readonly idempotencyDays: number
  /** 0: audit events are kept for ever. */
  readonly auditRetentionMonths: number
}

/** For a process that only runs the relay. */
export interface RelayConfig
  extends Pick<Config, 'host' | 'metricsPort' | 'databaseUrl' | 'pool' | 'logLevel'> {
  readonly events: EventsConfig
}

type Environment = Record<string, string | undefined>

/** Lists every configuration error. */
export class ConfigInvalid extends Error {
  constructor(errors: readonly string[]) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    super(`The configuration has ${count}:\n${errors.map((error) => `  - ${error}`).join('\n')}`)
    this.name = 'ConfigInvalid'
  }
}

/** Validates the environment and returns a frozen object. */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const { read, isSet } = reader
  return reader.finish({
    host: read('HOST', parseText, '127.0.0.1'),
    port: read('PORT', parsePort, 8080),
    metricsPort: read('METRICS_PORT', parsePort, 9464),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    pool: readPool(reader),
    auth: {
      issuer: read('AUTH_ISSUER', (text) => parseUrl(text, ['https:', 'http:'])),
      audience: read('AUTH_AUDIENCE', parseText),
      jwksUrl: isSet('AUTH_JWKS_URL')
        ? read('AUTH_JWKS_URL', (text) => parseUrl(text, ['https:', 'http:']))
        : undefined,
      claims: {
        user: read('AUTH_CLAIM_USER', parseText, 'sub'),
        team: read('AUTH_CLAIM_TEAM', parseText, 'team_id'),
        scope: read('AUTH_CLAIM_SCOPE', parseText, 'scope'),
        permissions: read('AUTH_CLAIM_PERMISSIONS', parseText, 'permissions'),
      },
    },
    evolution: isSet('EVOLUTION_URL')
      ? {
          url: read('EVOLUTION_URL', parseUpstreamUrl),
          deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => parseInteger(text, 1, 60_000), 5_000),
          maxResponseBytes: 1024 * 1024,
          maxInFlight: read('EVOLUTION_MAX_IN_FLIGHT', (text) => parseInteger(text, 1, 4_096), 256),
        }
      : undefined,
    events: isSet('NATS_URL') ? readEvents(reader) : undefined,
    services: read('SERVICES_FILE', readServicesFile, []),
    maintenance: readMaintenance(reader),
    secretsKeys: read('SECRETS_KEYS', parseKeyring),
    recoverDays: read('RECOVER_DAYS', (text) => parseInteger(text, 0, 3_650), 7),
    hasReference: read('REFERENCE', parseSwitch, true),
    connections: {
      max: read('MAX_CONNECTIONS', parseCount, 10_000),
      maxUnsentBytes: read('MAX_UNSENT_BYTES', parseMemory, 32 * 1024 ** 2),
      stallMs: read('RESPONSE_STALL_MS', (text) => parseInteger(text, 100, 3_600_000), 20_000),
    },
    watchLimits: {
      perUser: read('WATCH_MAX_PER_USER', parseCount, 20),
      perTeam: read('WATCH_MAX_PER_TEAM', parseCount, 200),
      perProcess: read('WATCH_MAX_PER_PROCESS', parseCount, 5_000),
    },
    maxReceivedBytes: read('MAX_RECEIVED_BYTES', parseMemory, 128 * 1024 ** 2),
    logLevel: read('LOG_LEVEL', (text) => parseOneOf(text, LOG_LEVELS), 'info'),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', (text) => parseInteger(text, 0, 60_000), 10_000),
    shutdownDelayMs: read('SHUTDOWN_DELAY_MS', (text) => parseInteger(text, 0, 60_000), 5_000),
  })
}

export function readRelayConfig(environment: Environment): RelayConfig {
  const reader = createReader(environment)
  const { read } = reader
  return reader.finish({
    host: read('HOST', parseText, '127.0.0.1'),
    metricsPort: read('METRICS_PORT', parsePort, 9464),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    pool: readPool(reader),
    events: readEvents(reader),
    logLevel: read('LOG_LEVEL', (text) => parseOneOf(text, LOG_LEVELS), 'info'),
  })
}

function readPool({ read }: Reader): Config['pool'] {
  return {
    poolSize: read('DATABASE_POOL_SIZE', (text) => parseInteger(text, 4, 1_000), 16),
    maxWaitMs: read('DATABASE_MAX_WAIT_MS', (text) => parseInteger(text, 1, 60_000), 300),
    lockTimeoutMs: read('DATABASE_LOCK_TIMEOUT_MS', (text) => parseInteger(text, 1, 5_000), 1_000),
    connectionLifetimeS: read('DATABASE_CONNECTION_LIFETIME_S', parseLifetime, 30 * 60),
  }
}

const parseLifetime = (text: string) => parseInteger(text, 1, 86_400)

function readEvents({ read, isSet }: Reader): EventsConfig {
  const runsRelay = read('RELAY', parseSwitch, true)
  const relayDatabase = isSet('RELAY_DATABASE_URL') ? 'RELAY_DATABASE_URL' : 'DATABASE_URL'
  return {
    natsUrl: read('NATS_URL', parseNatsUrl),
    stream: {
      name: read('NATS_STREAM', parseNatsName, 'CONSOLE_AGENTS'),
      subjectPrefix: read('NATS_SUBJECT_PREFIX', parseNatsSubject, DEFAULT_SUBJECT_PREFIX),
      replicas: read('NATS_REPLICAS', (text) => parseInteger(text, 1, 5), 1),
      maxAgeHours: read('EVENTS_MAX_AGE_HOURS', (text) => parseInteger(text, 1, 24 * 365), 7 * 24),
      maxBytes: read('EVENTS_MAX_BYTES', (text) => parseInteger(text, 1024 * 1024, 2 ** 50), 1024 ** 3),
    },
    relayDatabaseUrl: runsRelay ? read(relayDatabase, parseDatabaseUrl) : undefined,
  }
}

function readMaintenance({ read }: Reader): MaintenanceConfig | undefined {
  const maintenance = {
    idempotencyDays: read('IDEMPOTENCY_DAYS', (text) => parseInteger(text, 1, 3_650), 7),
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', (text) => parseInteger(text, 0, 1_200), 0),
  }
  return read('MAINTENANCE', parseSwitch, true) ? maintenance : undefined
}

type Reader = ReturnType<typeof createReader>

function createReader(environment: Environment) {
  const errors: string[] = []
  return {
    /** Collects an error for a missing or invalid value; `finish` then throws. */
    read: <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
      const text = environment[name]?.trim()
      if (text === undefined || text === '') {
        if (fallback === undefined) errors.push(`${name} is missing`)
        return fallback as T
      }
      try {
        return parse(text)
      } catch (error) {
        const messages = error instanceof ServicesFileInvalid ? error.errors : [(error as Error).message]
        errors.push(...messages.map((message) => `${name} ${message}`))
        return undefined as T
      }
    },
    /** An empty variable counts as absent: compose files pass `${NAME:-}`. */
    isSet: (name: string) => (environment[name] ?? '').trim() !== '',
    finish: <T extends object>(config: T): T => {
      if (errors.length > 0) throw new ConfigInvalid([...new Set(errors)])
      return deepFreeze(config)
    },
  }
}

const parseText = (text: string) => text

export function parseInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
  return value
}

const parseCount = (text: string) => parseInteger(text, 1, 1_000_000)
const parseMemory = (text: string) => parseInteger(text, 1024 * 1024, 2 ** 40)

function parsePort(text: string): number {
  return parseInteger(text, 0, 65_535)
}

function parseUrl(text: string, protocols: string[]): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`)
  }
  return text
}

function parseDatabaseUrl(text: string): string {
  return parseUrl(text, ['postgres:', 'postgresql:'])
}

/** One server, or the servers of a cluster separated by commas. */
function parseNatsUrl(text: string): string {
  for (const one of text.split(',')) parseUrl(one.trim(), ['nats:', 'tls:'])
  return text
}

function parseNatsName(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text)) throw new Error('may only contain letters, digits, _ and -')
  return text
}

function parseNatsSubject(text: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(text))
    throw new Error('must be words of letters, digits, _ and -, separated by dots')
  return text
}

/** Rejects the parts that a request to the upstream would not contain. */
function parseUpstreamUrl(text: string): string {
  const { username, password, search, hash } = new URL(parseUrl(text, ['https:', 'http:']))
  if (username || password || search || hash) throw new Error('must have no credentials, query or fragment')
  return text
}

function parseOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  if (!(values as readonly string[]).includes(text)) throw new Error(`must be one of ${values.join(', ')}`)
  return text as Value
}

const parseSwitch = (text: string) => parseOneOf(text, ['on', 'off']) === 'on'

/** An error names a key by its position: the text of the entry may be the key itself. */
export function parseKeyring(text: string): KeyringEntry[] {
  const entries = text.split(',').map((entry, index) => {
    const [id = '', base64 = '', ...rest] = entry.trim().split(':')
    const key = Buffer.from(base64, 'base64')
    if (!/^[\w.-]{1,64}$/.test(id) || rest.length > 0 || key.length !== 32) {
      throw new Error(`must be id:base64,id:base64 with 32 bytes in each key; entry ${index + 1} is invalid`)
    }
    return { id, key }
  })
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw new Error('has two keys with the same id')
  return entries
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member)
  }
  return Object.freeze(value)
}
