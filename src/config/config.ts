import type { AuthOptions } from '../http/auth/identity.ts'
import { type KeyringEntry, parseKeyring } from '../platform/crypto/secrets.ts'
import type { OutboundPolicy } from '../platform/outbound/client.ts'
import type { RedisSettings } from '../platform/redis/redis.ts'
import { readAuth, readWeb, type WebConfig } from './auth.ts'
import { type EventsConfig, readEvents } from './events.ts'
import { readAllowedInsecure, refuseInsecure } from './insecure.ts'
import { createReader, type Environment, parseInteger, parsePort, parseSwitch, parseText } from './reader.ts'
import {
  type EvolutionConfig,
  type ProcessConfig,
  readEvolution,
  readOutbound,
  readProcess,
  readRedis,
} from './sections.ts'
import { readServices, type ServicesConfig } from './services.ts'

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
  /** Whether this process does background work. */
  readonly runsMaintenance: boolean
  /** 0: audit events are kept for ever. */
  readonly auditRetentionMonths: number
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
    runsMaintenance: read('MAINTENANCE', parseSwitch, true),
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', (text) => parseInteger(text, 0, 1_200), 0),
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

/** For a process that only runs the relay. */
export interface RelayConfig extends ProcessConfig {
  readonly events: EventsConfig
}

export function readRelayConfig(environment: Environment): RelayConfig {
  const reader = createReader(environment)
  const config = { ...readProcess(reader), events: readEvents(reader, true) }
  refuseInsecure(reader, config, readAllowedInsecure(reader))
  return reader.finish(config)
}
