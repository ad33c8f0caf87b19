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
}

/** A command as the table declares it. */
export type CommandEntry = Omit<Command, 'args' | 'options'> & Partial<Pick<Command, 'args' | 'options'>>

export interface Group {
  path: string
  summary: string
}
