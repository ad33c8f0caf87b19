import { isRemote, isUnencrypted } from './unencrypted.ts'

/** Settings that let others read or change what the console protects. Each must be allowed by its name. */
export const INSECURE_SETTINGS = {
  http_issuer:
    'AUTH_ISSUER, AUTH_JWKS_URL or AUTH_REVOCATIONS_URL is http:// to another machine: who controls the network can sign tokens',
  http_public_url: 'PUBLIC_URL is http:// to another machine: clients send their tokens without encryption',
  http_evolution:
    'EVOLUTION_URL is http:// to another machine: the network can read and change calls with their tokens',
  http_outbound: 'Callers may name http:// URLs: the network can read and change what is fetched',
  plain_database:
    'DATABASE_URL or RELAY_DATABASE_URL names another machine without sslmode=verify-full: the network can read and change data',
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
export function findInsecure(settings: CheckedSettings): InsecureSetting[] {
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
