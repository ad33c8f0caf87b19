/** Everything outside the program. The process has one; a test passes its own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The folder that the program was started in. */
  readonly cwd: string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** Runs a program in the terminal. Returns its exit code. */
  runInTerminal: (command: string, args: string[]) => Promise<number>
  /** Runs a program and returns what it prints. Its errors go to the terminal. Rejects if it fails. */
  readOutput: (command: string, args: string[]) => Promise<string>
  /** Starts a program and does not wait for it. Rejects if there is no such program. */
  start: (command: string, args: string[]) => Promise<void>
  /** From now on the program ends when its output has no reader any more, for a command that prints until it is ended. Every other
   * command goes on without a reader: what it changes must not depend on one. */
  endWithReader: () => void
}

export interface Input {
  readonly isTerminal: boolean
  /** Everything until the end of the input. */
  readAll: () => Promise<string>
  /** As it arrives. Ends when the program is interrupted. */
  chunks: () => AsyncIterable<Uint8Array>
  /** One line. Undefined if the input ends before. */
  readLine: () => Promise<string | undefined>
}

export interface Output {
  readonly isTerminal: boolean
  /** Undefined if it is not a terminal. */
  readonly columns: number | undefined
  write: (text: string) => void
}
