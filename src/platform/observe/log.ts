import { type DestinationStream, type Logger, pino } from 'pino'
import { createLogDestination } from './log-destination.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const STDOUT = 1

export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  }
  if (destination) return pino(options, destination)
  const onRecovery = (lost: number) => log.warn({ lost }, 'log lines were lost')
  const log = pino(options, createLogDestination(STDOUT, { onRecovery }))
  return log
}

/** Omits other properties: `detail` and `where` of PostgreSQL errors quote rows and parameters. */
function describeError(error: Error & { code?: unknown }): object {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}

let second = 0
let secondText = ''

/** As `isoTime` of pino, at a fifth of its cost: a busy console writes thousands of lines in the same second. */
export function isoTime(): string {
  const now = Date.now()
  const milliseconds = now % 1_000
  if (now - milliseconds !== second) {
    second = now - milliseconds
    secondText = new Date(second).toISOString().slice(0, -'000Z'.length)
  }
  return `,"time":"${secondText}${String(milliseconds).padStart(3, '0')}Z"`
}
