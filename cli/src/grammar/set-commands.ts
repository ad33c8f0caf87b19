import { AGENT, EXIT_CODE, REASON, YES } from './shared.ts'
import type { CommandEntry, Option } from './types.ts'

const FILES: Option = {
  name: 'file',
  short: 'f',
  value: 'PATH',
  isRepeated: true,
  complete: 'file',
  description:
    'Only this file or folder; may be repeated; - is standard input. Default: all files of the set',
}
const CONFIG: Option = {
  name: 'config',
  value: 'FILE',
  complete: 'file',
  description: 'Names the set and its files. Default: agent-console.yaml here or in a folder above',
}
const CONCURRENCY: Option = { name: 'concurrency', value: 'N', description: 'Requests at once. Default: 8' }
const PLAN_OPTIONS: readonly Option[] = [
  FILES,
  CONFIG,
  { name: 'prune', description: 'Archive agents of the set that have no file any more' },
  {
    name: 'max-prune',
    value: 'N',
    description: 'Prune at most so many agents, such as 5 or 10%. Default: 10%',
  },
  { name: 'force', description: 'Prune also agents that others have changed' },
  {
    name: 'force-field',
    value: 'FIELD',
    isRepeated: true,
    description: 'Overwrite this field although others have changed it; may be repeated',
  },
  CONCURRENCY,
]

export const SET_COMMANDS: readonly CommandEntry[] = [
  {
    path: 'init',
    summary: 'Begin to keep agents in files',
    details: 'Writes agent-console.yaml, and a JSON Schema that editors check and complete the files with.',
    args: [{ name: 'SET', description: 'Name of the configuration set' }],
    examples: [{ line: 'init payments', does: 'Files of the set payments in this folder' }],
  },
  {
    path: 'pull',
    summary: 'Write agents to files',
    details:
      'Without an agent: all agents of the set, with the fields that the set owns. Agents that the set does not have yet are ' +
      'written with all their values, and the set takes them; their values do not change. A secret is written as the name of an ' +
      'environment variable. A file that exists is never replaced; --overwrite updates the document of the agent in it.',
    args: [{ ...AGENT, isOptional: true, isRepeated: true }],
    options: [
      { name: 'query', value: 'TEXT', description: 'Agents whose name contains the text' },
      {
        name: 'directory',
        short: 'd',
        value: 'DIR',
        description: 'Where to write. Default: agents',
        complete: 'file',
      },
      { name: 'overwrite', description: 'Update documents that exist' },
      { name: 'no-adopt', description: 'Only write files: the set does not take the agents' },
      CONFIG,
      CONCURRENCY,
      REASON,
    ],
    examples: [
      { line: 'pull "Invoice helper"', does: 'Keep an agent in a file from now on' },
      { line: 'pull --query invoice -d agents/invoices', does: 'All agents whose name contains "invoice"' },
      { line: 'pull --overwrite', does: 'Take what others have changed into the files' },
    ],
  },
  {
    path: 'adopt',
    summary: 'Let the set adopt an existing agent',
    details: 'The agent gets the values of the file with this key, in place of a new agent.',
    args: [
      { name: 'AGENT', description: 'Id of an agent, SET/KEY, or a name that only one agent has' },
      { name: 'KEY', description: 'Key of a file' },
    ],
    options: [YES, FILES, CONFIG, CONCURRENCY, REASON],
    examples: [{ line: 'adopt "Invoice helper" invoice-helper', does: 'Manage an agent with an own file' }],
  },
  {
    path: 'validate',
    summary: 'Check the files of a set without a console',
    details: 'Reports every fault of every file. Reads no secret and runs no command.',
    options: [FILES, CONFIG],
    examples: [
      { line: 'validate', does: 'Check all files of the set' },
      { line: 'validate -f agents/invoice-helper.yaml', does: 'Check one file' },
    ],
  },
  {
    path: 'plan',
    summary: 'Show what apply would change',
    details: 'Changes nothing. The console answers what it would do, so the plan is what apply does.',
    options: [
      { name: 'out', value: 'FILE', description: 'Write the plan to a file, for apply', complete: 'file' },
      EXIT_CODE,
      ...PLAN_OPTIONS,
    ],
    examples: [
      { line: 'plan', does: 'Compare the files with the console' },
      { line: 'plan --exit-code', does: 'For a schedule: 2 if files and console differ' },
      { line: 'plan --out change.plan', does: 'Write the plan down, to apply exactly it' },
    ],
  },
  {
    path: 'apply',
    summary: 'Bring agents to the state of their files',
    details:
      'Each agent is changed as a whole or not at all. An agent that has changed since the plan is left alone, and the others go ' +
      'on. Ctrl-C finishes the requests that were sent; running apply again goes on.',
    args: [
      {
        name: 'PLANFILE',
        isOptional: true,
        complete: 'file',
        description: 'A plan of plan --out. It is refused if anything has changed since',
      },
    ],
    options: [
      YES,
      { name: 'dry-run', description: 'Show what would change, as plan does' },
      EXIT_CODE,
      ...PLAN_OPTIONS,
      REASON,
    ],
    examples: [
      { line: 'apply', does: 'Show the plan, ask, and apply it' },
      { line: 'apply --yes --prune', does: 'Without a question, and with what has no file any more' },
      { line: 'apply change.plan', does: 'Apply a plan that was read before' },
    ],
  },
]
