import type { AuthOptions } from '../http/auth/identity.ts'
import type { KeyringEntry } from '../platform/crypto/secrets.ts'
import type { OutboundPolicy } from '../platform/outbound/client.ts'
import type { RedisSettings } from '../platform/redis/redis.ts'
import type { EventsConfig } from './events.ts'
import { parseOneOf, type Reader } from './reader.ts'
import type { EvolutionConfig } from './sections.ts'

export const readAllowedInsecure = ({ read }: Reader): InsecureSetting[] =>
  read('ALLOW_INSECURE', parseInsecure, []) ?? []

/** Names each insecure setting that is not allowed, and what would allow all of them. Does nothing if a value is
 * missing or invalid: that is reported first. */
export function refuseInsecure(
  { refuse, hasErrors }: Reader,
  config: ProtectedSettings,
  allowed: InsecureSetting[],
): void {
  if (hasErrors()) return
  const found = findInsecureSettings(config)
  const missing = found.filter((name) => !allowed.includes(name))
  for (const name of missing) refuse(`${INSECURE_SETTINGS[name]} (${name})`)
  if (missing.length > 0)
    refuse(`To accept this risk: ALLOW_INSECURE=${[...new Set([...allowed, ...missing])].join(',')}`)
}

interface ProtectedSettings {
  databaseUrl: string
  events: EventsConfig | undefined
  auth?: Readonly<AuthOptions>
  evolution?: EvolutionConfig | undefined
  outbound?: OutboundPolicy
  publicUrl?: string | undefined
  secretsKeys?: readonly KeyringEntry[]
  redis?: RedisSettings | undefined
}

/** The insecure settings of a configuration, whether they are allowed or not. */
export function findInsecureSettings(config: ProtectedSettings): InsecureSetting[] {
  const { auth, publicUrl, databaseUrl, events, redis, secretsKeys, evolution, outbound } = config
  return findInsecure({
    issuerUrls: [auth?.issuer, auth?.jwksUrl, auth?.revocationsUrl],
    databaseUrls: [databaseUrl, events?.relayDatabaseUrl],
    natsUrl: events?.natsUrl,
    natsUsesTls: events?.natsLogin?.tls !== undefined,
    redisUrl: redis?.url,
    evolutionUrl: evolution?.url,
    allowsHttp: outbound?.allowsHttp,
    publicUrl,
    secretsKeys,
  })
}

const parseInsecure = (text: string) =>
  text.split(/[\s,]+/).map((word) => parseOneOf(word, Object.keys(INSECURE_SETTINGS) as InsecureSetting[]))

/** Settings that let others read or change what the console protects. Each must be allowed by its name. */
export const INSECURE_SETTINGS = {
  http_issuer:
    'AUTH_ISSUER, AUTH_JWKS_URL or AUTH_REVOCATIONS_URL is http:// to another machine: the network can forge tokens',
  http_public_url: 'PUBLIC_URL is http:// to another machine: clients send their tokens without encryption',
  http_evolution:
    'EVOLUTION_URL is http:// to another machine: the network can read and change calls with their tokens',
  http_outbound: 'Callers may name http:// URLs: the network can read and change what is fetched',
  plain_database:
    'DATABASE_URL or RELAY_DATABASE_URL names another machine without sslmode=verify-full: the network can read and ' +
    'change data',
  plain_nats:
    'NATS_URL names another machine without tls:// or NATS_TLS_CA: the network can read the login and change events',
  plain_redis:
    'REDIS_URL names another machine without rediss://: the network can read the login and change counters',
  published_key: 'SECRETS_KEYS has the key that compose.yaml contains: everyone can decrypt the secrets',
} as const

export type InsecureSetting = keyof typeof INSECURE_SETTINGS

export interface CheckedSettings {
  issuerUrls?: (string | undefined)[]
  publicUrl?: string | undefined
  evolutionUrl?: string | undefined
  /** For what the console fetches for callers. */
  allowsHttp?: boolean | undefined
  databaseUrls: (string | undefined)[]
  /** Separated by commas. */
  natsUrl?: string | undefined
  natsUsesTls?: boolean
  redisUrl?: string | undefined
  secretsKeys?: readonly { key: Buffer }[] | undefined
}

/** For trials on one machine. */
const PUBLISHED_KEY = Buffer.from('Published key, for trials only!!')

/** The insecure settings among these. */
function findInsecure(settings: CheckedSettings): InsecureSetting[] {
  const { issuerUrls = [], publicUrl, databaseUrls, natsUrl, natsUsesTls = false } = settings
  const { redisUrl, secretsKeys, evolutionUrl, allowsHttp = false } = settings
  const isAnyUnencrypted = (urls: (string | undefined)[]) => urls.some((url) => url && isUnencrypted(url))
  const found: Record<InsecureSetting, boolean> = {
    http_issuer: isAnyUnencrypted(issuerUrls),
    http_public_url: isAnyUnencrypted([publicUrl]),
    http_evolution: isAnyUnencrypted([evolutionUrl]),
    http_outbound: allowsHttp,
    plain_database: databaseUrls.some((url) => url && isPlainDatabase(url)),
    plain_nats: !natsUsesTls && (natsUrl?.split(',') ?? []).some((url) => isPlain(url.trim(), 'nats:')),
    plain_redis: redisUrl !== undefined && isPlain(redisUrl, 'redis:'),
    published_key: secretsKeys?.some(({ key }) => key.equals(PUBLISHED_KEY)) ?? false,
  }
  return (Object.keys(found) as InsecureSetting[]).filter((name) => found[name])
}

/** Only verify-full makes sure that the server is the right one, in every version of the driver. */
function isPlainDatabase(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isLocal = host === '' || host.startsWith('/') || !isRemote(host)
  return !isLocal && searchParams.get('sslmode') !== 'verify-full'
}

function isPlain(url: string, plainProtocol: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === plainProtocol && isRemote(hostname)
}

/** Names and addresses of this machine, as URL spells them. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a host is another machine. */
function isRemote(hostname: string): boolean {
  return !LOOPBACK.test(hostname)
}

/** Whether requests to a URL cross a network without encryption. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && isRemote(hostname)
}
