import { type DestinationStream, type Logger, pino } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines are written some at a time: a write for each costs as much as half a request. What is pending is written
 * at the latest after half a second, and when the process ends. */
const toStdout = () => pino.destination({ fd: 1, sync: false, minLength: 4_096, periodicFlush: 500 })

export function createLog(level: LogLevel, destination: DestinationStream = toStdout()): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  }
  return pino(options, destination)
}

/** Only what says where it failed. Other properties of an error may quote rows and parameters: PostgreSQL's
 * `detail` and `where` do. */
function describeError(error: Error & { code?: unknown }): object {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}
