import type * as sdkModule from '@agent-console/sdk'
import { EXIT, Failure } from './failure.ts'
import type { Io } from './io.ts'
import { severalLines } from './output/safe-text.ts'
import { createStyle } from './output/style.ts'

/** Prints an error for people, and returns its exit code. */
export async function reportFailure(error: unknown, io: Io, isColourless: boolean): Promise<number> {
  if (io.signal.aborted) return EXIT.interrupted
  const { paint } = createStyle(io.stderr, io, isColourless)
  const { lines, exitCode } = await explain(error)
  const [first = '', ...others] = lines.map(severalLines)
  io.stderr.write(`${[`${paint('error:', 'red')} ${first}`, ...others].join('\n')}\n`)
  return exitCode
}

interface Explanation {
  lines: string[]
  exitCode: number
}

async function explain(error: unknown): Promise<Explanation> {
  if (error instanceof Failure) return { lines: [error.message], exitCode: error.exitCode }
  // It is loaded already, if one of its errors was thrown.
  const sdk = await import('@agent-console/sdk')
  if (error instanceof sdk.ValidationFailed) {
    const faults = error.faults.map(({ loc, msg }) => `  ${loc.join('.')}: ${msg}`)
    return { lines: ['The console does not accept the values:', ...faults], exitCode: EXIT.error }
  }
  if (error instanceof sdk.ApiError) return explainResponse(error, sdk)
  if (error instanceof sdk.ConsoleError) {
    const hint = error instanceof sdk.TimedOut ? ['A longer --timeout may help.'] : []
    return { lines: [`${error.message}.`, ...hint, ...describeRequest(error)], exitCode: EXIT.error }
  }
  // A fault of this program. Its stack helps to report it.
  const { stack, message } = error as Error
  return { lines: [`Unexpected: ${message}`, stack ?? ''], exitCode: EXIT.error }
}

type Sdk = typeof sdkModule

function explainResponse(error: InstanceType<Sdk['ApiError']>, sdk: Sdk): Explanation {
  const detail = error.detail || error.message
  const request = describeRequest(error)
  if (error instanceof sdk.Unauthenticated) {
    const hint = 'The console does not accept the token. Run: agent-console whoami, or: agent-console login'
    return { lines: [detail, hint, ...request], exitCode: EXIT.denied }
  }
  if (error instanceof sdk.Forbidden) return { lines: [detail, ...request], exitCode: EXIT.denied }
  if (error instanceof sdk.Stale) {
    const hint = 'The agent has changed meanwhile. Read it again, then repeat the change.'
    return { lines: [detail, hint, ...request], exitCode: EXIT.stale }
  }
  return { lines: [detail, ...request], exitCode: EXIT.error }
}

const describeRequest = ({ requestId }: { requestId: string | undefined }) =>
  requestId === undefined ? [] : [`Request ${requestId}`]
