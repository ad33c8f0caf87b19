const CLOSE_TIMEOUT_MS = 10_000

export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    // Plain text on stderr: there may be no log yet, and a person reads it.
    process.stderr.write(
      `${explain(error as NodeJS.ErrnoException)}
`,
      () => process.exit(1),
    )
  })
}

/** Shuts down at the first signal to end. A second one ends the process at once. */
export function onSignal(shutDown: (signal: string) => Promise<void>): void {
  let hasBegun = false
  const begin = (signal: string) => {
    if (hasBegun) process.exit(1)
    hasBegun = true
    void shutDown(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, begin)
}

function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof ConfigInvalid) return `${error.message}\nVariables: docs/operating.md`
  if (error.code !== 'EADDRINUSE') return `Could not start: ${error.stack}`
  return `Could not start: ${error.message}. Stop the other program, or set PORT or METRICS_PORT.`
}

/** Call after the last response: a database that does not respond, or a connection whose peer has vanished, could
 * otherwise keep the process. */
export function exitAfterTimeout(): void {
  setTimeout(() => process.exit(0), CLOSE_TIMEOUT_MS).unref()
}

/** Lists every configuration error. */
export class ConfigInvalid extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    super(`The configuration has ${count}:\n${errors.map((error) => `  - ${error}`).join('\n')}`)
    this.name = 'ConfigInvalid'
    this.errors = errors
  }
}
