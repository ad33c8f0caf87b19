import type { Option } from './types.ts'

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const
export type Format = (typeof FORMATS)[number]

/** Every command takes them, before or after its name. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  {
    name: 'profile',
    short: 'p',
    value: 'NAME',
    description: 'Use this profile instead of the current one (AGENT_CONSOLE_PROFILE)',
    complete: 'profile',
  },
  {
    name: 'url',
    value: 'URL',
    description: 'Address of the console (AGENT_CONSOLE_URL)',
  },
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    description: 'table (default), json, yaml or name (only ids or names, one on each line)',
    complete: FORMATS,
  },
  { name: 'no-color', description: 'No colours (NO_COLOR)' },
  { name: 'quiet', short: 'q', description: 'No notes on standard error, only errors' },
  { name: 'verbose', description: 'Show every request on standard error' },
  {
    name: 'timeout',
    value: 'TIME',
    description: 'Time limit of one try of a request, such as 500ms, 30s or 2m. Default: 30s',
  },
  { name: 'help', short: 'h', description: 'Show help' },
  { name: 'version', short: 'V', description: 'Show the version' },
]
