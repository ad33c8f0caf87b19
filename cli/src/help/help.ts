import { COMMANDS, GROUPS } from '../grammar/commands.ts'
import { GLOBAL_OPTIONS } from '../grammar/global-options.ts'
import type { Command, Option } from '../grammar/types.ts'
import type { Style } from '../output/style.ts'
import { pad } from '../output/width.ts'
import { wrap } from '../output/wrap.ts'
import { PROGRAM, showOption, usageOf } from './usage.ts'

const MAX_WIDTH = 100

/** The help of a command, of a group, or of the program for an empty path. */
export function helpOf(path: string, style: Style): string {
  const command = COMMANDS.find((each) => each.path === path)
  const sections = command ? commandHelp(command, style) : groupHelp(path, style)
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function commandHelp(command: Command, style: Style): string[] {
  const { path, summary, details, args, options, examples } = command
  const below = COMMANDS.filter((each) => each.path.startsWith(`${path} `))
  return [
    `${summary}.`,
    `${heading('Usage', style)}\n  ${usageOf(command)}`,
    details ? wrapped(details, style).join('\n') : '',
    section(
      'Arguments',
      args.map(({ name, description }) => [name, withChoices(description, undefined)]),
      style,
    ),
    section('Options', options.map(optionRow), style),
    section(
      'Commands',
      below.map((each) => [each.path, each.summary]),
      style,
    ),
    `${heading('Examples', style)}\n${examples
      .map(({ line, does }) => `${style.paint(`  # ${does}`, 'dim')}\n  ${PROGRAM} ${line}`)
      .join('\n')}`,
    `Every command also takes the options of: ${PROGRAM} --help`,
  ]
}

function groupHelp(path: string, style: Style): string[] {
  const group = GROUPS.find((each) => each.path === path)
  const prefix = path === '' ? '' : `${path} `
  const commands = COMMANDS.filter((each) => each.path.startsWith(prefix))
  const isProgram = path === ''
  return [
    isProgram ? 'Agent Console on the command line.' : `${group?.summary ?? path}.`,
    `${heading('Usage', style)}\n  ${PROGRAM} ${prefix}${isProgram ? 'COMMAND' : 'COMMAND …'}`,
    section(
      'Commands',
      commands.map((each) => [each.path, each.summary]),
      style,
    ),
    isProgram ? section('Options of every command', GLOBAL_OPTIONS.map(optionRow), style) : '',
    isProgram ? section('Exit codes', EXIT_CODES, style) : '',
    `Help of a command: ${PROGRAM} ${prefix}COMMAND --help`,
  ]
}

export const EXIT_CODES: [string, string][] = [
  ['0', 'Done, or no difference'],
  ['1', 'Error'],
  ['2', 'There are differences, with --exit-code'],
  ['3', 'Only some of several changes were made'],
  ['4', 'Not logged in, or not allowed'],
  ['5', 'The agent has changed meanwhile, or a plan has conflicts or is out of date'],
  ['64', 'Wrong use of the command line, or a question was not answered with yes'],
  ['130', 'Interrupted'],
]

const optionRow = (option: Option): [string, string] => [
  showOption(option),
  withChoices(option.description, option),
]

/** Adds the words that an option takes, unless its description has them. */
export function withChoices(description: string, option: Option | undefined): string {
  const choices = option?.complete
  if (!Array.isArray(choices) || choices.every((choice) => description.includes(choice.replace('-', ''))))
    return description
  return `${description}: ${choices.join(', ')}`
}

const heading = (text: string, { paint }: Style) => paint(text, 'bold')

function section(title: string, rows: [string, string][], style: Style): string {
  if (rows.length === 0) return ''
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  const lines = rows.flatMap(([name, text]) => {
    const [first = '', ...others] = wrapped(text, style, width + 2)
    return [`  ${pad(name, width)}${first}`, ...others.map((line) => `  ${' '.repeat(width)}${line}`)]
  })
  return [heading(title, style), ...lines].join('\n')
}

function wrapped(text: string, { columns = MAX_WIDTH }: Style, indent = 0): string[] {
  return wrap(text, Math.max(24, Math.min(columns, MAX_WIDTH) - indent))
}
