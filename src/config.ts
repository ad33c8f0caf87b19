import type { ClaimNames } from './platform/identity.ts'
import { LOG_LEVELS, type LogLevel } from './platform/log.ts'
import type { KeyringEntry } from './platform/secrets.ts'

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
    | { readonly url: string; readonly deadlineMs: number; readonly maxAnswerBytes: number }
    | undefined
  readonly secretsKeys: readonly KeyringEntry[]
  readonly logLevel: LogLevel
  readonly shutdownDelayMs: number
  readonly shutdownPatienceMs: number
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
  const faults: string[] = []

  /** A value that is missing or wrong is reported and read as undefined: nobody gets to see it. */
  const read = <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
    const text = environment[name]?.trim()
    if (text === undefined || text === '') {
      if (fallback === undefined) faults.push(`${name} is missing`)
      return fallback as T
    }
    try {
      return parse(text)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
      return undefined as T
    }
  }
  /** Empty is absent, as it is for every other variable: compose files pass `${NAME:-}`. */
  const isSet = (name: string) => (environment[name] ?? '').trim() !== ''

  const config: Config = {
    host: read('HOST', asIs, '127.0.0.1'),
    port: read('PORT', port, 8080),
    metricsPort: read('METRICS_PORT', port, 9464),
    databaseUrl: read('DATABASE_URL', (text) => url(text, ['postgres:', 'postgresql:'])),
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
          maxAnswerBytes: 1024 * 1024,
        }
      : undefined,
    secretsKeys: read('SECRETS_KEYS', keyring),
    logLevel: read('LOG_LEVEL', (text) => oneOf(text, LOG_LEVELS), 'info'),
    shutdownPatienceMs: read('SHUTDOWN_PATIENCE_MS', (text) => integer(text, 0, 60_000), 10_000),
    shutdownDelayMs: read('SHUTDOWN_DELAY_MS', (text) => integer(text, 0, 60_000), 5_000),
  }
  if (faults.length > 0) throw new ConfigInvalid(faults)
  return deepFreeze(config)
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
