import type { Context } from './context.ts'
import { EXIT, PassingFailure, UsageError } from './failure.ts'
import { COMMANDS, GROUPS } from './grammar/commands.ts'
import { FORMATS, type Format } from './grammar/global-options.ts'
import { didYouMean, nearest } from './grammar/nearest.ts'
import { readDuration } from './grammar/options.ts'
import { checkArgs, type Parsed, parse, seeHelp } from './grammar/parse.ts'
import type { Command } from './grammar/types.ts'
import { HANDLERS } from './handlers.ts'
import { helpOf } from './help/help.ts'
import type { Io } from './io.ts'
import { format } from './output/print.ts'
import { createStyle } from './output/style.ts'
import { wrapMessage } from './output/wrap.ts'
import { reportFailure } from './report-failure.ts'
import type { Connection } from './session/connection.ts'
import { VERSION } from './version.ts'

const DEFAULT_TIMEOUT = '30s'

/** Runs a command line. Returns the exit code; it never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let connection: Connection | undefined
  const onConnect = (made: Connection) => {
    connection = made
  }
  try {
    return await runCommand(argv, io, onConnect)
  } catch (error) {
    return reportFailure(error, io, { isColourless: argv.includes('--no-color'), connection })
  }
}

async function runCommand(
  argv: readonly string[],
  io: Io,
  onConnect: (connection: Connection) => void,
): Promise<number> {
  const [first, ...rest] = argv
  const asksForHelp = first === 'help'
  const parsed = parse(asksForHelp ? rest : argv, COMMANDS)
  const { path, command, options, args } = parsed
  const style = createStyle(io.stdout, io, options.isOn('no-color'))
  if (asksForHelp || options.isOn('help')) {
    checkWords(parsed)
    io.stdout.write(helpOf(path, style))
    return EXIT.done
  }
  if (options.isOn('version')) {
    io.stdout.write(`${VERSION}\n`)
    return EXIT.done
  }
  if (!command) {
    checkWords(parsed)
    io.stderr.write(helpOf(path, createStyle(io.stderr, io, options.isOn('no-color'))))
    return EXIT.usage
  }
  checkSubcommand(command, args)
  checkArgs(command, args)
  const as = options.choice('output', FORMATS) ?? command.defaultFormat ?? 'table'
  const context = createContext(parsed, io, as, onConnect)
  const { run: runLoaded } = await handlerOf(command)()
  const result = await runLoaded(context).finally(() => context.progress(''))
  if (!result) return EXIT.done
  io.stdout.write(await format(result, as, style))
  return result.exitCode ?? EXIT.done
}

function handlerOf({ path }: Command) {
  const load = HANDLERS[path]
  if (!load) throw new TypeError(`Nothing runs ${path}`)
  return load
}

/** A word after a group that names no command. */
function checkWords({ path, command, args: [word] }: Parsed): void {
  if (command || word === undefined) return
  const prefix = path === '' ? '' : `${path} `
  const known = [...COMMANDS, ...GROUPS]
    .filter((each) => each.path.startsWith(prefix))
    .map((each) => each.path.slice(prefix.length).split(' ')[0] ?? '')
  throw new UsageError(
    `There is no command ${prefix}${word}.${didYouMean(nearest(word, known))} ${seeHelp(path)}`,
  )
}

/** `profiles` is a command and begins others: a word after it is a misspelt one. */
function checkSubcommand({ path, args: declared }: Command, [word]: string[]): void {
  if (word === undefined || declared.length > 0) return
  if (COMMANDS.some((each) => each.path.startsWith(`${path} `))) {
    throw new UsageError(`There is no command ${path} ${word}. ${seeHelp(path)}`)
  }
}

function createContext(
  { options, args }: Parsed,
  io: Io,
  as: Format,
  onConnect: (connection: Connection) => void,
): Context {
  const timeoutMs = readDuration(options.text('timeout') ?? DEFAULT_TIMEOUT, '--timeout')
  const isQuiet = options.isOn('quiet')
  const connect: Context['connect'] = async (defaultUrl) => {
    const session = await import('./session/connection.ts')
    const profile = options.text('profile')
    const connection = await session.connect({ io, url: options.text('url'), defaultUrl, profile, timeoutMs })
    onConnect(connection)
    return connection
  }
  return {
    io,
    options,
    args,
    format: as,
    timeoutMs,
    style: createStyle(io.stdout, io, options.isOn('no-color')),
    connect,
    client: async (connection) => {
      const [{ Console, ConnectionFailed }, { url, token }] = await Promise.all([
        import('@agent-console/sdk'),
        connection ?? connect(),
      ])
      const logger = options.isOn('verbose') ? createLogger(io) : undefined
      return new Console({
        baseUrl: url,
        token: () =>
          token().catch((error: unknown) => {
            if (!(error instanceof PassingFailure)) throw error
            // The error after which the SDK tries again.
            const message = error.message.replace(/\.$/, '')
            throw Object.assign(new ConnectionFailed(message), { cause: error })
          }),
        timeoutMs,
        logger,
        userAgent: `agent-console-cli/${VERSION}`,
      })
    },
    note: (text) => {
      if (!isQuiet) io.stderr.write(`${wrapMessage(text, io.stderr.columns)}\n`)
    },
    progress: createProgress(io, isQuiet),
    print: (text) => io.stdout.write(text),
  }
}

interface LogEntry {
  method: string
  path: string
  requestId: string
  durationMs: number
  status: number | undefined
  error: string | undefined
}

const createLogger =
  ({ stderr }: Io) =>
  ({ method, path, status, error, durationMs, requestId }: LogEntry) =>
    stderr.write(`${method} ${path}: ${status ?? error}, ${durationMs} ms, request ${requestId}\n`)

/** One line on a terminal, which the next text replaces. */
function createProgress({ stderr, env }: Io, isQuiet: boolean): (text: string) => void {
  let isShown = false
  const canReplace = stderr.isTerminal && env['TERM'] !== 'dumb' && !isQuiet
  return (text) => {
    if (!canReplace || (text === '' && !isShown)) return
    isShown = text !== ''
    stderr.write(`\r\u001b[2K${text}`)
  }
}
