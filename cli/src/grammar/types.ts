import type { Context } from '../context.ts'
import type { Result } from '../output/result.ts'

/** What a shell can complete. */
export type Completion = 'file' | 'profile' | readonly string[]

export interface Argument {
  /** In capitals, as the help shows it. */
  name: string
  description: string
  isOptional?: true
  /** The last argument may be repeated. */
  isRepeated?: true
  complete?: Completion
}

export interface Option {
  name: string
  short?: string
  /** The name of its value. Absent: the option is a switch. */
  value?: string
  description: string
  isRepeated?: true
  complete?: Completion
}

export interface Example {
  line: string
  /** What it does. */
  does: string
}

export type Run = (context: Context) => Promise<Result | undefined>

export interface Command {
  /** The words that name it, such as `agents list`. */
  path: string
  summary: string
  /** Further sentences for its help. */
  details?: string
  args: readonly Argument[]
  options: readonly Option[]
  examples: readonly Example[]
  /** The format without `--output`. `table` if absent. */
  defaultFormat?: 'json'
  /** Loaded when the command runs, so that no command pays for another. */
  load: () => Promise<{ run: Run }>
}

export interface Group {
  path: string
  summary: string
}
