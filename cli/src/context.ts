import type { Console } from '@agent-console/sdk'
import type { Format } from './grammar/global-options.ts'
import type { Options } from './grammar/options.ts'
import type { Io } from './io.ts'
import type { Result } from './output/result.ts'
import type { Style } from './output/style.ts'
import type { Connection } from './session/connection.ts'

/** What a command works with. */
export interface Context {
  io: Io
  options: Options
  args: readonly string[]
  format: Format
  timeoutMs: number
  /** How standard output is printed. */
  style: Style
  /** The console to talk to, with a token. `url` is used if neither an option nor the environment names one. Rejects without a
   * login. */
  connect: (url?: string) => Promise<Connection>
  client: (connection?: Connection) => Promise<Console>
  /** A sentence for the user, on standard error. `--quiet` leaves it out. */
  note: (text: string) => void
  /** A line on a terminal that the next one replaces. Nothing elsewhere. An empty text removes it. */
  progress: (text: string) => void
  /** Prints at once, for a command that prints as it goes. */
  print: (text: string) => void
}

export type Run = (context: Context) => Promise<Result | undefined>
