import { LOG_LEVELS, type LogLevel } from '../platform/observe/log.ts'
import type { TracingSettings } from '../platform/observe/tracing.ts'
import type { OutboundPolicy } from '../platform/outbound/client.ts'
import { parseCidrs, parseHosts, parsePorts } from '../platform/outbound/configured.ts'
import type { PoolOptions } from '../platform/postgres/database.ts'
import type { RedisSettings } from '../platform/redis/redis.ts'
import {
  parseDatabaseUrl,
  parseHttpUrl,
  parseInteger,
  parseOneOf,
  parsePlainUrl,
  parsePort,
  parseRatio,
  parseText,
  parseUrl,
  type Reader,
} from './reader.ts'

/** What the console and a separate relay have in common. */
export interface ProcessConfig {
  readonly metricsHost: string
  readonly metricsPort: number
  readonly databaseUrl: string
  readonly pool: PoolOptions
  readonly logLevel: LogLevel
  /** Undefined if nothing is traced. */
  readonly tracing: TracingSettings | undefined
}

export function readProcess(reader: Reader): ProcessConfig {
  const { read } = reader
  return {
    metricsHost: read('METRICS_HOST', parseText, '127.0.0.1'),
    metricsPort: read('METRICS_PORT', parsePort, 9464),
    databaseUrl: read('DATABASE_URL', parseDatabaseUrl),
    pool: readPool(reader),
    logLevel: read('LOG_LEVEL', (text) => parseOneOf(text, LOG_LEVELS), 'info'),
    tracing: readTracing(reader),
  }
}

function readPool({ read }: Reader): ProcessConfig['pool'] {
  return {
    poolSize: read('DATABASE_POOL_SIZE', (text) => parseInteger(text, 4, 1_000), 16),
    maxWaitMs: read('DATABASE_MAX_WAIT_MS', (text) => parseInteger(text, 1, 60_000), 1_000),
    lockTimeoutMs: 1_000,
    connectTimeoutMs: 2_000,
    connectionLifetimeS: 30 * 60,
  }
}

export function readOutbound({ read, readOptional }: Reader, allowsHttp: boolean): OutboundPolicy {
  return {
    allowedCidrs: read('OUTBOUND_ALLOWED_CIDRS', parseCidrs, []),
    allowedHosts: read('OUTBOUND_ALLOWED_HOSTS', parseHosts, []),
    allowedPorts: read('OUTBOUND_ALLOWED_PORTS', parsePorts, []),
    allowsHttp,
    proxyUrl: readOptional('OUTBOUND_PROXY_URL', parseHttpUrl),
  }
}

export function readRedis({ read, readOptional }: Reader): RedisSettings | undefined {
  const url = readOptional('REDIS_URL', (text) => parseUrl(text, ['redis:', 'rediss:']))
  const prefix = read('REDIS_PREFIX', parseRedisPrefix, '')
  return url === undefined ? undefined : { url, prefix, maxWaitMs: 20 }
}

/** Braces would decide which node of a cluster has the key. */
function parseRedisPrefix(text: string): string {
  if (!/^[\w:.-]{1,64}$/.test(text))
    throw new Error('may only contain letters, digits, and the characters _ : . -')
  return text
}

export interface EvolutionConfig {
  readonly url: string
  readonly deadlineMs: number
  readonly maxResponseBytes: number
  readonly maxInFlight: number
}

export function readEvolution({ read, isSet }: Reader): EvolutionConfig | undefined {
  if (!isSet('EVOLUTION_URL')) return undefined
  return {
    url: read('EVOLUTION_URL', parsePlainUrl),
    deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => parseInteger(text, 1, 60_000), 5_000),
    maxResponseBytes: 1024 * 1024,
    maxInFlight: 256,
  }
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
