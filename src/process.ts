import { ConfigInvalid } from './config.ts'

/** What every process of the project does at its beginning and its end. */

const CLOSED_WITHIN_MS = 10_000

export function run(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    // Before there is a log, and for a person: a start that failed says why and nothing else.
    const text = error instanceof ConfigInvalid ? error.message : `Could not start: ${(error as Error).stack}`
    process.stderr.write(`${text}\n`, () => process.exit(1))
  })
}

/** To be called when nobody waits any more: a connection whose other side is gone without a word would never close. */
export function exitSoon(): void {
  setTimeout(() => process.exit(0), CLOSED_WITHIN_MS).unref()
}
