import { AGENT_COMMANDS } from './agent-commands.ts'
import { OTHER_COMMANDS } from './other-commands.ts'
import { SESSION_COMMANDS } from './session-commands.ts'
import { SET_COMMANDS } from './set-commands.ts'
import type { Command, Group } from './types.ts'

/** Every command. Parsing, help, completion and the man page all come from this table. */
export const COMMANDS: readonly Command[] = [
  ...SESSION_COMMANDS,
  ...AGENT_COMMANDS,
  ...SET_COMMANDS,
  ...OTHER_COMMANDS,
].map((entry) => ({ args: [], options: [], ...entry }))

/** Words that only begin commands. */
export const GROUPS: readonly Group[] = [
  { path: 'agents', summary: 'Read and change agents' },
  { path: 'evolution', summary: 'The evolution of agents' },
  { path: 'genomes', summary: 'The genomes of the evolution service' },
  { path: 'schema', summary: 'Schemas of files' },
]
