import type { PoolOptions } from '../platform/database/database.ts'
import { LOG_LEVELS, type LogLevel } from '../platform/observe/log.ts'
import {
  parseDatabaseUrl,
  parseInteger,
  parseOneOf,
  parsePort,
  parseText,
} from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'
import type { TracingSettings } from '../platform/tracing/start.ts'
import { readTracing } from './tracing.ts'

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
