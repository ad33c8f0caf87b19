import { write, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

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

export interface LogDestinationOptions {
  /** Lines that the reader has not taken yet are kept up to this size. */
  maxBufferedBytes?: number
  /** Called when lines can be written again, with the number of those that were lost. */
  onRecovery: (lost: number) => void
}

const FLUSH_BYTES = 15 * 1_024
const FLUSH_MS = 500
const RETRY_MS = 100
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024
/** A write that takes longer waits for a reader that has stopped. */
const STALLED_MS = 1_000

/** Writes lines to a file descriptor in the background, many at a time: one write for each line costs half as much as a
 * request. A reader that stops or is gone, or a full disk, costs lines, but never stops the process. Not the
 * destination of pino: it throws if the disk is full, it repeats a failed write without end when the process exits, and
 * its buffer grows without limit. */
export function createLogDestination(fd: number, options: LogDestinationOptions): DestinationStream {
  const { maxBufferedBytes = MAX_BUFFERED_BYTES, onRecovery } = options
  let lines: string[] = []
  let bytes = 0
  let writing: { rest: Buffer; lines: number; since: number } | undefined
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let hasExitHandlers = false

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (writing || lines.length === 0) return
    writing = { rest: Buffer.from(lines.join('')), lines: lines.length, since: performance.now() }
    lines = []
    writeRest(writing)
  }
  const writeRest = (batch: NonNullable<typeof writing>) => {
    write(fd, batch.rest, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(writeRest, RETRY_MS, batch)
      bytes -= error ? batch.rest.length : written
      batch.rest = batch.rest.subarray(written)
      if (!error && batch.rest.length > 0) return writeRest(batch)
      writing = undefined
      if (error) lost += batch.lines
      else if (lost > 0) {
        const count = lost
        lost = 0
        onRecovery(count)
      }
      flushSoon()
    })
  }
  const flushSoon = () => {
    if (bytes >= FLUSH_BYTES) flush()
    else if (lines.length > 0) timer ??= setTimeout(flush, FLUSH_MS).unref()
  }
  const flushAtExit = () => {
    // A blocked write cannot be ended, and the exit would wait for it.
    if (writing && performance.now() - writing.since > STALLED_MS) process.kill(process.pid, 'SIGKILL')
    try {
      if (lines.length > 0) writeSync(fd, lines.join(''))
    } catch {
      // No reader is left that could be told.
    }
  }

  return {
    write: (line) => {
      const length = Buffer.byteLength(line)
      if (bytes + length > maxBufferedBytes) {
        lost++
        return
      }
      lines.push(line)
      bytes += length
      if (!hasExitHandlers) process.on('beforeExit', flush).on('exit', flushAtExit)
      hasExitHandlers = true
      flushSoon()
    },
  }
}
