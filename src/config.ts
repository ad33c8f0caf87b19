import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_SUBJECT_PREFIX } from './contract/asyncapi.ts'
import { PERMISSIONS } from './contract/permissions.ts'
import type { PoolOptions } from './platform/database/database.ts'
import type { EventStreamSettings } from './platform/events/jetstream.ts'
import {
  type NatsLogin,
  parseNatsCredentials,
  parseNatsSeed,
  parsePem,
} from './platform/events/nats-login.ts'
import type { LaneOptions } from './platform/fairness/lanes.ts'
import type { AuthOptions } from './platform/identity/identity.ts'
import { parseClaimName, parseRoles } from './platform/identity/settings.ts'
import { LOG_LEVELS, type LogLevel } from './platform/observe/log.ts'
import type { OutboundPolicy } from './platform/outbound/client.ts'
import { parseCidrs, parseHosts, parsePorts } from './platform/outbound/settings.ts'
import type { RedisSettings } from './platform/redis/redis.ts'
import { SecretText } from './platform/secrets/secret-text.ts'
import type { KeyringEntry } from './platform/secrets/secrets.ts'
import { parseSigningKeys } from './platform/secrets/signer.ts'
import { type Environment, readVariable } from './platform/settings/environment.ts'
import {
  findInsecure,
  INSECURE_SETTINGS,
  type InsecureSetting,
} from './platform/settings/insecure-settings.ts'
import { isUnencrypted } from './platform/settings/unencrypted.ts'
import type { TracingSettings } from './platform/tracing/start.ts'
import type { Service } from './services/file/service.ts'
import { readServicesFile, ServicesFileInvalid } from './services/file/services-file.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number
  readonly databaseUrl: string
  readonly pool: LaneOptions & PoolOptions
  readonly auth: Readonly<AuthOptions>
  /** Where clients reach the console, without a slash at the end, and its name in assertions. If undefined, taken from the
   * Host header, and no service has `token: assert`. */
  readonly publicUrl: string | undefined
  readonly evolution:
    | {
        readonly url: string
        readonly deadlineMs: number
        readonly maxResponseBytes: number
        readonly maxInFlight: number
      }
    | undefined
  readonly events: EventsConfig | undefined
  /** Undefined if each replica counts by itself. */
  readonly redis: RedisSettings | undefined
  /** How many replicas share the limit of an agent while they do not count together. */
  readonly budgetReplicas: number
  readonly services: readonly Service[]
  /** In PEM. The first signs assertions, all are published. */
  readonly signingKeys: readonly SecretText[]
  /** Undefined if no service has `token: exchange`. */
  readonly exchange: { readonly clientId: string; readonly clientSecret: SecretText } | undefined
  /** What the console fetches for callers. */
  readonly outbound: OutboundPolicy
  /** Undefined if this process does no background work. */
  readonly maintenance: MaintenanceConfig | undefined
  readonly secretsKeys: readonly KeyringEntry[]
  /** How long a deleted agent can be recovered. 0: not at all. */
  readonly recoverDays: number
  /** Serves the API reference at /docs. */
  readonly hasReference: boolean
  /** Undefined if the browser console is not served. */
  readonly web: WebConfig | undefined
  readonly connections: { readonly max: number; readonly maxUnsentBytes: number; readonly stallMs: number }
  readonly watchLimits: { readonly perUser: number; readonly perTeam: number; readonly perProcess: number }
  /** Bytes of request bodies in memory. */
  readonly maxReceivedBytes: number
  readonly logLevel: LogLevel
  /** Undefined if nothing is traced. */
  readonly tracing: TracingSettings | undefined
  readonly shutdownDelayMs: number
  readonly shutdownTimeoutMs: number
}

export interface EventsConfig {
  readonly natsUrl: string
  /** Absent: only what the URL has. */
  readonly natsLogin?: NatsLogin
  readonly stream: EventStreamSettings
  /** Must support LISTEN. Undefined if this process does not run a relay. */
  readonly relayDatabaseUrl: string | undefined
}

export interface WebConfig {
  /** The public client of the browser console at the issuer. */
  readonly clientId: string
  readonly scope: string
  /** The resource indicator (RFC 8707) that it sends to the issuer. */
  readonly resource: string | undefined
  /** What `npm run build:web` writes. */
  readonly folder: string
}

export interface MaintenanceConfig {
  readonly idempotencyDays: number
  /** 0: audit events are kept for ever. */
  readonly auditRetentionMonths: number
  /** In PEM. The first signs the seals of the audit log. Empty: the audit log is not sealed. */
  readonly auditSigningKeys: readonly SecretText[]
}

/** For a process that only runs the relay. */
export interface RelayConfig
  extends Pick<Config, 'metricsHost' | 'metricsPort' | 'databaseUrl' | 'pool' | 'logLevel' | 'tracing'> {
  readonly events: EventsConfig
}

/** Lists every configuration error. */
export class ConfigInvalid extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    super(`The configuration has ${count}:\n${errors.map((error) => `  - ${error}`).join('\n')}`)
    this.name = 'ConfigInvalid'
    this.errors = errors
  }
}

/** Validates the environment and returns a frozen object. */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const { read, isSet } = reader
  const config: Config = {
    host: read('HOST', parseText, '127.0.0.1'),
    port: read('PORT', parsePort, 8080),
    metricsHost: read('METRICS_HOST', parseText, '127.0.0.1'),
    metricsPort: read('METRICS_PORT', parsePort, 9464),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    pool: readPool(reader),
    auth: readAuth(reader),
    evolution: isSet('EVOLUTION_URL')
      ? {
          url: read('EVOLUTION_URL', (text) =>
            parseUpstreamUrl(text, read('EVOLUTION_INSECURE_HTTP', parseSwitch, false)),
          ),
          deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => parseInteger(text, 1, 60_000), 5_000),
          maxResponseBytes: 1024 * 1024,
          maxInFlight: read('EVOLUTION_MAX_IN_FLIGHT', (text) => parseInteger(text, 1, 4_096), 256),
        }
      : undefined,
    events: isSet('NATS_URL') ? readEvents(reader) : undefined,
    redis: readRedis(reader),
    budgetReplicas: read('REQUEST_BUDGET_REPLICAS', (text) => parseInteger(text, 1, 1_000), 1),
    ...readServices(reader),
    outbound: readOutbound(reader),
    maintenance: readMaintenance(reader),
    secretsKeys: read('SECRETS_KEYS', parseKeyring),
    recoverDays: read('RECOVER_DAYS', (text) => parseInteger(text, 0, 3_650), 7),
    hasReference: read('REFERENCE', parseSwitch, true),
    web: readWeb(reader),
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
    tracing: readTracing(reader),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', (text) => parseInteger(text, 0, 60_000), 10_000),
    shutdownDelayMs: read('SHUTDOWN_DELAY_MS', (text) => parseInteger(text, 0, 60_000), 5_000),
  }
  refuseInsecure(reader, config)
  return reader.finish(config)
}

export function readRelayConfig(environment: Environment): RelayConfig {
  const reader = createReader(environment)
  const { read } = reader
  const config = {
    metricsHost: read('METRICS_HOST', parseText, '127.0.0.1'),
    metricsPort: read('METRICS_PORT', parsePort, 9464),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    pool: readPool(reader),
    events: readEvents(reader),
    logLevel: read('LOG_LEVEL', (text) => parseOneOf(text, LOG_LEVELS), 'info'),
    tracing: readTracing(reader),
  }
  refuseInsecure(reader, config)
  return reader.finish(config)
}

/** Names each insecure setting that is not allowed, and what would allow all of them. Does nothing if a value is missing or
 * invalid: that is reported first. */
function refuseInsecure({ read, refuse, hasErrors }: Reader, config: ProtectedSettings): void {
  const allowed = read('ALLOW_INSECURE', parseInsecure, [])
  if (hasErrors()) return
  const found = findInsecureSettings(config)
  const missing = found.filter((name) => !allowed.includes(name))
  for (const name of missing) refuse(`${INSECURE_SETTINGS[name]} (${name})`)
  if (missing.length > 0)
    refuse(`To accept this risk: ALLOW_INSECURE=${[...new Set([...allowed, ...missing])].join(',')}`)
}

type ProtectedSettings = Pick<Config, 'databaseUrl' | 'events'> &
  Partial<Pick<Config, 'auth' | 'publicUrl' | 'secretsKeys' | 'redis'>>

/** The insecure settings of a configuration, whether they are allowed or not. */
export function findInsecureSettings(config: ProtectedSettings): InsecureSetting[] {
  const { auth, publicUrl, databaseUrl, events, redis, secretsKeys } = config
  return findInsecure({
    issuerUrls: [auth?.issuer, auth?.jwksUrl, auth?.revocationsUrl],
    databaseUrls: [databaseUrl, events?.relayDatabaseUrl],
    natsUrl: events?.natsUrl,
    natsUsesTls: events?.natsLogin?.tls !== undefined,
    redisUrl: redis?.url,
    ...{ publicUrl, secretsKeys },
  })
}

const parseInsecure = (text: string) =>
  text.split(/[\s,]+/).map((word) => parseOneOf(word, Object.keys(INSECURE_SETTINGS) as InsecureSetting[]))

/** For a command that only reads tokens. */
export function readAuthConfig(environment: Environment): Config['auth'] {
  const reader = createReader(environment)
  return reader.finish(readAuth(reader))
}

/** For a command that compares the audit log with its seals. */
export function readAuditConfig(environment: Environment) {
  const reader = createReader(environment)
  const { read } = reader
  return reader.finish({
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', parseRetention, 0),
    auditSigningKeys: read('AUDIT_SIGNING_KEY', parseSigningKeys, []),
  })
}

function readAuth({ read, isSet }: Reader): Config['auth'] {
  return {
    issuer: read('AUTH_ISSUER', parseHttpUrl),
    audience: read('AUTH_AUDIENCE', parseText),
    jwksUrl: isSet('AUTH_JWKS_URL') ? read('AUTH_JWKS_URL', parseHttpUrl) : undefined,
    claims: {
      user: read('AUTH_CLAIM_USER', parseClaimName, 'sub'),
      team: read('AUTH_CLAIM_TEAM', parseClaimName, 'team_id'),
      scope: read('AUTH_CLAIM_SCOPE', parseClaimName, 'scope'),
      permissions: read('AUTH_CLAIM_PERMISSIONS', parseClaimName, 'permissions'),
      name: read('AUTH_CLAIM_NAME', parseClaimName, 'name'),
    },
    roles: read('AUTH_ROLES', parseRoles, new Map()),
    maxLifetimeS: read('AUTH_MAX_LIFETIME_S', (text) => parseInteger(text, 60, 366 * 86_400), 86_400),
    revocationsUrl: isSet('AUTH_REVOCATIONS_URL') ? read('AUTH_REVOCATIONS_URL', parseHttpUrl) : undefined,
  }
}

type ServicesConfig = Pick<Config, 'services' | 'publicUrl' | 'signingKeys' | 'exchange'>

/** The services, and what the console needs to make their tokens. */
function readServices({ read, isSet }: Reader): ServicesConfig {
  const audience = read('AUTH_AUDIENCE', parseText)
  const issuer = read('AUTH_ISSUER', parseHttpUrl)
  const services = read('SERVICES_FILE', (path) => readServicesFile(path, audience), []) as
    | Service[]
    | undefined
  const hasToken = (token: Service['token']) => services?.some((service) => service.token === token)
  return {
    services: services ?? [],
    publicUrl:
      hasToken('assert') || isSet('PUBLIC_URL')
        ? read('PUBLIC_URL', (text) => parsePublicUrl(text, issuer))
        : undefined,
    signingKeys: hasToken('assert') || isSet('SIGNING_KEYS') ? read('SIGNING_KEYS', parseSigningKeys) : [],
    exchange: hasToken('exchange')
      ? {
          clientId: read('EXCHANGE_CLIENT_ID', parseText),
          clientSecret: read('EXCHANGE_CLIENT_SECRET', (text) => new SecretText(text)),
        }
      : undefined,
  }
}

function readOutbound({ read, readOptional }: Reader): OutboundPolicy {
  return {
    allowedCidrs: read('OUTBOUND_ALLOWED_CIDRS', parseCidrs, []),
    allowedHosts: read('OUTBOUND_ALLOWED_HOSTS', parseHosts, []),
    allowedPorts: read('OUTBOUND_ALLOWED_PORTS', parsePorts, []),
    allowsHttp: read('OUTBOUND_INSECURE_HTTP', parseSwitch, false),
    proxyUrl: readOptional('OUTBOUND_PROXY_URL', parseHttpUrl),
  }
}

function readPool({ read }: Reader): Config['pool'] {
  return {
    poolSize: read('DATABASE_POOL_SIZE', (text) => parseInteger(text, 4, 1_000), 16),
    maxWaitMs: read('DATABASE_MAX_WAIT_MS', (text) => parseInteger(text, 1, 60_000), 300),
    maxUtilization: read('FAIR_SHARES_MAX_UTILIZATION', parseUtilization, 0.5),
    lockTimeoutMs: read('DATABASE_LOCK_TIMEOUT_MS', (text) => parseInteger(text, 1, 5_000), 1_000),
    connectTimeoutMs: read('DATABASE_CONNECT_TIMEOUT_MS', (text) => parseInteger(text, 100, 60_000), 2_000),
    connectionLifetimeS: read('DATABASE_CONNECTION_LIFETIME_S', parseLifetime, 30 * 60),
  }
}

function parseUtilization(text: string): number {
  const value = parseRatio(text)
  if (value < 0.1) throw new Error('must be a number from 0.1 to 1')
  return value
}

const parseLifetime = (text: string) => parseInteger(text, 1, 86_400)

function readEvents(reader: Reader): EventsConfig {
  const { read, isSet } = reader
  const runsRelay = read('RELAY', parseSwitch, true)
  const relayDatabase = isSet('RELAY_DATABASE_URL') ? 'RELAY_DATABASE_URL' : 'DATABASE_URL'
  return {
    natsUrl: read('NATS_URL', parseNatsUrl),
    natsLogin: readNatsLogin(reader),
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

function readRedis({ read, readOptional }: Reader): RedisSettings | undefined {
  const url = readOptional('REDIS_URL', (text) => parseUrl(text, ['redis:', 'rediss:']))
  const prefix = read('REDIS_PREFIX', parseRedisPrefix, '')
  const maxWaitMs = read('REDIS_MAX_WAIT_MS', (text) => parseInteger(text, 1, 60_000), 20)
  return url === undefined ? undefined : { url, prefix, maxWaitMs }
}

/** Braces would decide which node of a cluster has the key. */
function parseRedisPrefix(text: string): string {
  if (!/^[\w:.-]{1,64}$/.test(text))
    throw new Error('may only contain letters, digits, and the characters _ : . -')
  return text
}

function readTracing({ read, readOptional }: Reader): TracingSettings | undefined {
  const url = readOptional('TRACES_URL', parseHttpUrl)
  const headers = read('TRACES_HEADERS', parseHeaders, {})
  const sampleRatio = read('TRACES_SAMPLE_RATIO', parseRatio, 0.01)
  return url === undefined ? undefined : { url, headers, sampleRatio }
}

/** An error names a header by its position: its text may be a token. */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair, index) => {
      const [, name, value] =
        /^\s*([\w-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(pair) ?? []
      if (name === undefined || value === undefined)
        throw new Error(`must be name=value,name=value; pair ${index + 1} is invalid`)
      return [name, value]
    }),
  )
}

function parseRatio(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}

function readNatsLogin({ read, readOptional, isSet, refuse }: Reader): NatsLogin {
  const credentials = readOptional('NATS_CREDENTIALS', parseNatsCredentials)
  const nkey = readOptional('NATS_NKEY', parseNatsSeed)
  const cert = readOptional('NATS_TLS_CERT', (text) => parsePem(text, 'CERTIFICATE'))
  const key = readOptional('NATS_TLS_KEY', (text) => new SecretText(parsePem(text, 'PRIVATE KEY')))
  const ca = readOptional('NATS_TLS_CA', (text) => parsePem(text, 'CERTIFICATE'))
  const hasUser = isSet('NATS_URL') && read('NATS_URL', hasUserInfo)
  if ([credentials, nkey, hasUser || undefined].filter((login) => login !== undefined).length > 1) {
    refuse('NATS_URL, NATS_CREDENTIALS and NATS_NKEY: only one of them may hold a login')
  }
  if ((cert === undefined) !== (key === undefined)) refuse('NATS_TLS_CERT and NATS_TLS_KEY must both be set')
  return { credentials, nkey, tls: cert || key || ca ? { cert, key, ca } : undefined }
}

const hasUserInfo = (urls: string) => urls.split(',').some((url) => new URL(url.trim()).username !== '')

function readMaintenance({ read }: Reader): MaintenanceConfig | undefined {
  const maintenance = {
    idempotencyDays: read('IDEMPOTENCY_DAYS', (text) => parseInteger(text, 1, 3_650), 7),
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', parseRetention, 0),
    auditSigningKeys: read('AUDIT_SIGNING_KEY', parseSigningKeys, []),
  }
  return read('MAINTENANCE', parseSwitch, true) ? maintenance : undefined
}

/** `profile` gives the console a name to show, the permissions are what a person may get at most. */
const WEB_SCOPE = ['openid', 'profile', 'email', ...PERMISSIONS].join(' ')

function readWeb({ read, readOptional, refuse }: Reader): WebConfig | undefined {
  const clientId = readOptional('WEB_CLIENT_ID', parseText)
  const web = {
    scope: read('WEB_SCOPE', parseText, WEB_SCOPE),
    resource: readOptional('WEB_RESOURCE', parseUri),
    folder: read('WEB_FOLDER', parseText, fileURLToPath(new URL('../web/dist', import.meta.url))),
  }
  if (clientId === undefined) return undefined
  if (!existsSync(join(web.folder, 'index.html'))) {
    refuse(`WEB_CLIENT_ID is set, but ${web.folder} has no index.html; run npm run build:web`)
  }
  return { clientId, ...web }
}

function parseUri(text: string): string {
  if (!URL.canParse(text)) throw new Error('must be an absolute URI')
  return text
}

const parseRetention = (text: string) => parseInteger(text, 0, 1_200)

type Reader = ReturnType<typeof createReader>

function createReader(environment: Environment) {
  const errors: string[] = []
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some((each) => (environment[each] ?? '').trim() !== '')
  /** Collects an error for a missing or invalid value; `finish` then throws. */
  const read = <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
    try {
      const text = readVariable(environment, name)
      if (text !== '') return parse(text)
      if (fallback === undefined) errors.push(`${name} is missing`)
      return fallback as T
    } catch (error) {
      const messages = error instanceof ServicesFileInvalid ? error.errors : [(error as Error).message]
      errors.push(...messages.map((message) => `${name} ${message}`))
      return undefined as T
    }
  }
  return {
    ...{ isSet, read },
    readOptional: <T>(name: string, parse: (text: string) => T): T | undefined =>
      isSet(name) ? read(name, parse) : undefined,
    /** Adds an error of its own. */
    refuse: (error: string) => void errors.push(error),
    hasErrors: () => errors.length > 0,
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

const parseHttpUrl = (text: string) => parseUrl(text, ['https:', 'http:'])

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

/** Rejects the parts that a request to a path of this URL would not contain. */
function parsePlainUrl(text: string): string {
  const { username, password, search, hash } = new URL(parseHttpUrl(text))
  if (username || password || search || hash) throw new Error('must have no credentials, query or fragment')
  return text
}

function parseUpstreamUrl(text: string, isInsecure: boolean): string {
  parsePlainUrl(text)
  if (!isInsecure && isUnencrypted(text)) {
    throw new Error(
      'is http:// to another machine, which lets the network read and change requests with their tokens; use https://, or ' +
        'set EVOLUTION_INSECURE_HTTP=on if you trust the network',
    )
  }
  return text
}

/** The console must never accept its own assertions. */
function parsePublicUrl(text: string, issuer: string | undefined): string {
  const trimmed = (url: string) => new URL(url).href.replace(/\/+$/, '')
  const url = trimmed(parsePlainUrl(text))
  if (issuer !== undefined && url === trimmed(issuer)) throw new Error('must not be AUTH_ISSUER')
  return url
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
  const weak = entries.findIndex(({ key }) => key.every((byte) => byte === key[0]))
  if (weak !== -1) throw new Error(`must have random keys; all bytes of entry ${weak + 1} are equal`)
  for (const [what, values] of [
    ['id', entries.map(({ id }) => id)],
    ['bytes', entries.map(({ key }) => key.toString('hex'))],
  ] as const) {
    if (new Set(values).size < entries.length) throw new Error(`has two keys with the same ${what}`)
  }
  return entries
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member)
  }
  return Object.freeze(value)
}
