import { ConfigInvalid } from './config.ts'

const CLOSE_TIMEOUT_MS = 10_000

export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    // There may be no log yet, and an operator reads this.
    const text = error instanceof ConfigInvalid ? error.message : `Could not start: ${(error as Error).stack}`
    process.stderr.write(`${text}\n`, () => process.exit(1))
  })
}

/** Call after the last response: closing a connection whose peer has vanished could otherwise take forever. */
export function exitAfterTimeout(): void {
  setTimeout(() => process.exit(0), CLOSE_TIMEOUT_MS).unref()
}
