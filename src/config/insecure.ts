import type { AuthOptions } from '../platform/identity/identity.ts'
import type { OutboundPolicy } from '../platform/outbound/client.ts'
import type { RedisSettings } from '../platform/redis/redis.ts'
import type { KeyringEntry } from '../platform/secrets/secrets.ts'
import {
  findInsecure,
  INSECURE_SETTINGS,
  type InsecureSetting,
} from '../platform/settings/insecure-settings.ts'
import { parseOneOf } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'
import type { EventsConfig } from './events.ts'
import type { EvolutionConfig } from './evolution.ts'

export const readAllowedInsecure = ({ read }: Reader): InsecureSetting[] =>
  read('ALLOW_INSECURE', parseInsecure, []) ?? []

/** Names each insecure setting that is not allowed, and what would allow all of them. Does nothing if a value is missing or
 * invalid: that is reported first. */
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
