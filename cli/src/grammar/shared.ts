import type { Argument, Option } from './types.ts'

/** Arguments and options that several commands take. */

export const AGENT: Argument = {
  name: 'AGENT',
  description: 'Id of an agent, SET/KEY, or a name that only one agent has',
}
export const FILE: Option = {
  name: 'file',
  short: 'f',
  value: 'FILE',
  description: 'JSON or YAML; - is standard input',
  complete: 'file',
}
export const REASON: Option = { name: 'reason', value: 'TEXT', description: 'Why; the history shows it' }
export const YES: Option = { name: 'yes', short: 'y', description: 'Do not ask; required without a terminal' }
export const EXIT_CODE: Option = { name: 'exit-code', description: 'Exit with 2 if there are differences' }
export const LIMIT: Option = {
  name: 'limit',
  value: 'N',
  description: 'How many to show at most. Default: 100',
}
export const ALL: Option = { name: 'all', description: 'Show all' }
