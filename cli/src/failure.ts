/** The exit codes. Scripts branch on them: never give one another meaning. */
export const EXIT = {
  done: 0,
  error: 1,
  /** There are differences, and the caller asked for this code (`--exit-code`). */
  differences: 2,
  /** Some of several changes were made. */
  partly: 3,
  /** Not logged in, or not allowed. */
  denied: 4,
  /** The agent has changed meanwhile, or a decision of the user is needed. */
  stale: 5,
  usage: 64,
  interrupted: 130,
} as const

/** An error whose message says what went wrong and what to do. It is printed without a stack. */
export class Failure extends Error {
  override name = 'Failure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.error) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The command line is wrong. */
export class UsageError extends Failure {
  override name = 'UsageError'

  constructor(message: string) {
    super(message, EXIT.usage)
  }
}

/** There is no login, or it has ended. */
export class NotLoggedIn extends Failure {
  override name = 'NotLoggedIn'

  constructor(message: string) {
    super(message, EXIT.denied)
  }
}

/** There was no response, or one that says to try again later. The same may succeed then. */
export class PassingFailure extends Failure {
  override name = 'PassingFailure'
}

/** Whether a server with this status may respond otherwise later. */
export const isPassingStatus = (status: number): boolean => status === 429 || status >= 500

/** What to do if there is no connection. */
export const CHECK_ADDRESS = 'Check the address of the console, and the network.'
