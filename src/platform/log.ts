import { type DestinationStream, type Logger, pino } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Buffered, because one write for each line costs half as much as a request. The buffer is flushed every half second
 * and at exit. */
const toStdout = () => pino.destination({ fd: 1, sync: false, minLength: 15 * 1_024, periodicFlush: 500 })

export function createLog(level: LogLevel, destination: DestinationStream = toStdout()): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  }
  return pino(options, destination)
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
