import type * as sdkModule from '@agent-console/sdk'
import { EXIT, Failure } from './failure.ts'
import type { Io } from './io.ts'
import { severalLines } from './output/safe-text.ts'
import { createStyle } from './output/style.ts'
import { wrapMessage } from './output/wrap.ts'
import type { Connection } from './session/connection.ts'
import { loginCommand } from './session/login-command.ts'

interface ReportOptions {
  isColourless: boolean
  /** What the command used. */
  connection: Connection | undefined
}

/** Prints an error for people, and returns its exit code. */
export async function reportFailure(
  error: unknown,
  io: Io,
  { isColourless, connection }: ReportOptions,
): Promise<number> {
  if (io.signal.aborted) return EXIT.interrupted
  const { paint, columns } = createStyle(io.stderr, io, isColourless)
  const { lines, exitCode } = await explain(error, io, connection)
  const text = wrapMessage(severalLines(`error: ${lines.join('\n')}`), columns)
  io.stderr.write(`${text.replace('error:', () => paint('error:', 'red'))}\n`)
  return exitCode
}

interface Explanation {
  lines: string[]
  exitCode: number
}

async function explain(error: unknown, io: Io, connection: Connection | undefined): Promise<Explanation> {
  if (error instanceof Failure) return { lines: [error.message], exitCode: error.exitCode }
  // It is loaded already, if one of its errors was thrown.
  const sdk = await import('@agent-console/sdk')
  if (error instanceof sdk.ValidationFailed) {
    const faults = error.faults.map(({ loc, msg }) => `  ${nameOf(loc)}: ${msg}`)
    return { lines: ['The console does not accept the values:', ...faults], exitCode: EXIT.error }
  }
  if (error instanceof sdk.ApiError) return explainResponse(error, sdk, renewal(io.env, connection))
  if (error instanceof sdk.ConsoleError) {
    // There was no token to send.
    if (error.cause instanceof Failure) return explain(error.cause, io, connection)
    const hints = [
      ...(error instanceof sdk.TimedOut ? ['A longer --timeout may help.'] : []),
      ...(error instanceof sdk.ConnectionFailed && connection !== undefined
        ? [`Is ${connection.url} the address of the console, and can this machine reach it?`]
        : []),
    ]
    return { lines: [`${error.message}.`, ...hints, ...describeRequest(error)], exitCode: EXIT.error }
  }
  // A fault of this program. Its stack helps to report it.
  const { stack, message } = error as Error
  return { lines: [`Unexpected: ${message}`, stack ?? ''], exitCode: EXIT.error }
}

type Sdk = typeof sdkModule

function explainResponse(error: InstanceType<Sdk['ApiError']>, sdk: Sdk, toRenew: string): Explanation {
  const detail = error.detail || error.message
  const request = describeRequest(error)
  if (error instanceof sdk.Unauthenticated) {
    return { lines: [detail, toRenew, ...request], exitCode: EXIT.denied }
  }
  if (error instanceof sdk.Forbidden) {
    const hint =
      error.code === 'permission_missing' ? ['See your permissions with: agent-console whoami'] : []
    return { lines: [detail, ...hint, ...request], exitCode: EXIT.denied }
  }
  if (error instanceof sdk.Stale) {
    const hint = 'The agent has changed meanwhile. Read it again, then repeat the change.'
    return { lines: [detail, hint, ...request], exitCode: EXIT.stale }
  }
  return { lines: [detail, ...request], exitCode: EXIT.error }
}

/** A login does not help while the environment has a token or a client: they come first. */
function renewal(
  { AGENT_CONSOLE_TOKEN: token, AGENT_CONSOLE_CLIENT_ID: client }: Io['env'],
  connection: Connection | undefined,
): string {
  if (token) return 'Put a valid token into AGENT_CONSOLE_TOKEN, or unset it to use your login.'
  if (client) return 'Check the client that AGENT_CONSOLE_CLIENT_ID names.'
  return `The console does not accept the login. Run: ${loginCommand(connection?.profile, connection?.storage)}`
}

/** The fields of a body are named as the user names them. */
const nameOf = (loc: readonly (string | number)[]) =>
  (loc[0] === 'body' && loc.length > 1 ? loc.slice(1) : loc).join('.')

const describeRequest = ({ requestId }: { requestId: string | undefined }) =>
  requestId === undefined ? [] : [`Request ${requestId}`]
