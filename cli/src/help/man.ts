import { COMMANDS } from '../grammar/commands.ts'
import { GLOBAL_OPTIONS } from '../grammar/global-options.ts'
import type { Command } from '../grammar/types.ts'
import { VERSION } from '../version.ts'
import { EXIT_CODES, withChoices } from './help.ts'
import { PROGRAM, showOption, usageOf } from './usage.ts'

/** Environment variables, for the man page. */
const ENVIRONMENT: [string, string][] = [
  ['AGENT_CONSOLE_URL', 'Address of the console.'],
  ['AGENT_CONSOLE_PROFILE', 'The profile to use.'],
  ['AGENT_CONSOLE_TOKEN', 'Token to use instead of a login.'],
  ['AGENT_CONSOLE_CLIENT_ID', 'Client id of a program, for client credentials.'],
  ['AGENT_CONSOLE_CLIENT_SECRET', 'Secret of the client.'],
  [
    'AGENT_CONSOLE_CLIENT_ASSERTION_FILE',
    'File with an assertion that the platform signs, instead of a secret.',
  ],
  ['AGENT_CONSOLE_ISSUER', 'Issuer for client credentials. Default: the one that the console names.'],
  ['AGENT_CONSOLE_SCOPE', 'Scopes for client credentials. Default: all permissions.'],
  ['AGENT_CONSOLE_RESOURCE', 'Resource for client credentials, if the issuer needs it.'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'Proxy to use, and hosts to reach without it.'],
  ['VISUAL, EDITOR', 'Editor of agents edit, with its arguments.'],
  ['NO_COLOR', 'No colours.'],
  [
    'XDG_CONFIG_HOME',
    'Where the folder agent-console with the profiles is. Default: ~/.config; on Windows APPDATA.',
  ],
]

/** The man page, in the language of man(7). */
export function manPage(): string {
  return `${[
    `.TH AGENT-CONSOLE 1 "" "agent-console ${VERSION}" "User Commands"`,
    '.SH NAME',
    `${PROGRAM} \\- read and change the configuration of AI agents`,
    '.SH SYNOPSIS',
    `.B ${PROGRAM}`,
    '.I COMMAND',
    '[options]',
    '.SH DESCRIPTION',
    'Standard output has only the result. Notes, progress and errors go to standard error. Without a terminal no command asks a question.',
    '.SH OPTIONS OF EVERY COMMAND',
    ...GLOBAL_OPTIONS.flatMap((option) =>
      tagged(showOption(option), withChoices(option.description, option)),
    ),
    '.SH COMMANDS',
    ...COMMANDS.flatMap(section),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, text]) => tagged(code, text)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, text]) => tagged(name, text)),
  ].join('\n')}\n`
}

function section(command: Command): string[] {
  const { summary, details, args, options, examples } = command
  return [
    `.SS ${escape(usageOf(command))}`,
    escape(`${summary}.${details ? ` ${details}` : ''}`),
    ...args.flatMap(({ name, description }) => tagged(name, description)),
    ...options.flatMap((option) => tagged(showOption(option), withChoices(option.description, option))),
    ...examples.flatMap(({ line, does }) => [
      '.PP',
      escape(`${does}:`),
      '.PP',
      '.RS',
      '.nf',
      escape(`${PROGRAM} ${line}`),
      '.fi',
      '.RE',
    ]),
  ]
}

const tagged = (tag: string, text: string) => ['.TP', `.B ${escape(tag)}`, escape(text)]

/** A hyphen would become a typographic one, and a line must not begin with a dot or an apostrophe. */
const escape = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/, '\\&')
