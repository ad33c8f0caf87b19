import { readAuth } from './config/auth.ts'
import { type EventsConfig, readEvents } from './config/events.ts'
import { type EvolutionConfig, readEvolution } from './config/evolution.ts'
import { readAllowedInsecure, refuseInsecure } from './config/insecure.ts'
import { type MaintenanceConfig, readMaintenance } from './config/maintenance.ts'
import { readOutbound } from './config/outbound.ts'
import { type ProcessConfig, readProcess } from './config/process.ts'
import { readRedis } from './config/redis.ts'
import { readServices, type ServicesConfig } from './config/services.ts'
import { readWeb, type WebConfig } from './config/web.ts'
import type { AuthOptions } from './platform/identity/identity.ts'
import type { OutboundPolicy } from './platform/outbound/client.ts'
import type { RedisSettings } from './platform/redis/redis.ts'
import { parseKeyring } from './platform/secrets/keyring.ts'
import type { KeyringEntry } from './platform/secrets/secrets.ts'
import type { Environment } from './platform/settings/environment.ts'
import { parseInteger, parsePort, parseSwitch, parseText } from './platform/settings/parsers.ts'
import { createReader } from './platform/settings/reader.ts'

export interface Config extends ProcessConfig, ServicesConfig {
  readonly host: string
  readonly port: number
  readonly auth: Readonly<AuthOptions>
  readonly evolution: EvolutionConfig | undefined
  readonly events: EventsConfig | undefined
  /** Undefined if each replica counts by itself. */
  readonly redis: RedisSettings | undefined
  /** How many replicas share the limit of an agent while they do not count together. */
  readonly budgetReplicas: number
  /** What the console fetches for callers. */
  readonly outbound: OutboundPolicy
  /** Undefined if this process does no background work. */
  readonly maintenance: MaintenanceConfig | undefined
  readonly secretsKeys: readonly KeyringEntry[]
  /** How long a deleted agent can be recovered. 0: not at all. */
  readonly recoverDays: number
  /** Undefined if the browser console is not served. */
  readonly web: WebConfig | undefined
  /** The mean delay of the event loop from which on requests are refused. 0: they never are. */
  readonly maxEventLoopDelayMs: number
  readonly shutdownDelayMs: number
  readonly shutdownTimeoutMs: number
}

/** Validates the environment and returns a frozen object. */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const { read, isSet } = reader
  const allowed = readAllowedInsecure(reader)
  const config: Config = {
    host: read('HOST', parseText, '127.0.0.1'),
    port: read('PORT', parsePort, 8080),
    ...readProcess(reader),
    auth: readAuth(reader),
    evolution: readEvolution(reader),
    events: isSet('NATS_URL') ? readEvents(reader, read('RELAY', parseSwitch, true)) : undefined,
    redis: readRedis(reader),
    budgetReplicas: read('REQUEST_BUDGET_REPLICAS', (text) => parseInteger(text, 1, 1_000), 1),
    ...readServices(reader),
    outbound: readOutbound(reader, allowed.includes('http_outbound')),
    maintenance: readMaintenance(reader),
    secretsKeys: read('SECRETS_KEYS', parseKeyring),
    recoverDays: read('RECOVER_DAYS', (text) => parseInteger(text, 0, 3_650), 7),
    web: readWeb(reader),
    maxEventLoopDelayMs: 250,
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', (text) => parseInteger(text, 0, 60_000), 10_000),
    shutdownDelayMs: read('SHUTDOWN_DELAY_MS', (text) => parseInteger(text, 0, 60_000), 5_000),
  }
  refuseInsecure(reader, config, allowed)
  return reader.finish(config)
}
