import { parseArgs } from 'node:util'
import { UsageError } from '../failure.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { didYouMean, nearest } from './nearest.ts'
import { Options, readChoice } from './options.ts'
import type { Command, Option } from './types.ts'

export interface Parsed {
  /** The words of a command or of a group, as far as they are known; empty without any. */
  path: string
  /** Undefined for a group, and without a command. */
  command: Command | undefined
  options: Options
  args: string[]
}

/** Global options may stand anywhere; those of a command after its name. */
export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  const { path, rest } = takePath(argv, commands)
  const command = commands.find((each) => each.path === path)
  const declared = [...GLOBAL_OPTIONS, ...(command?.options ?? [])]
  const { values, args } = readOptions(rest, declared, path)
  return { path, command, options: new Options(declared, values), args }
}

/** Checks the number of arguments, which help needs not. */
export function checkArgs({ path, args: declared }: Command, given: readonly string[]): void {
  const missing = declared.find((argument, index) => !argument.isOptional && given[index] === undefined)
  if (missing) throw new UsageError(`${missing.name} is missing. ${seeHelp(path)}`)
  const extra = declared.at(-1)?.isRepeated ? undefined : given[declared.length]
  if (extra !== undefined) throw new UsageError(`${extra} is one argument too many. ${seeHelp(path)}`)
  for (const [index, text] of given.entries()) {
    const { name = '', complete } = declared[index] ?? {}
    if (Array.isArray(complete)) readChoice(text, complete as string[], name)
  }
}

export const seeHelp = (path: string): string => `See: agent-console ${path}${path ? ' ' : ''}--help`

/** The words of the command, and everything else in its order. */
function takePath(argv: readonly string[], commands: readonly Command[]) {
  const isKnown = (path: string) =>
    commands.some((each) => each.path === path || each.path.startsWith(`${path} `))
  const rest: string[] = []
  let path = ''
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (word === '--') return { path, rest: [...rest, ...argv.slice(index)] }
    const next = path === '' ? word : `${path} ${word}`
    if (!word.startsWith('-')) {
      if (!isKnown(next)) return { path, rest: [...rest, ...argv.slice(index)] }
      path = next
      continue
    }
    rest.push(word)
    const option = findGlobal(word)
    const value = argv[index + 1]
    if (option?.value !== undefined && value !== undefined) {
      rest.push(value)
      index += 1
    }
  }
  return { path, rest }
}

/** Undefined also for `--name=value`, which needs no second word. */
const findGlobal = (word: string) =>
  GLOBAL_OPTIONS.find(({ name, short }) => word === `--${name}` || (short && word === `-${short}`))

function readOptions(words: string[], declared: readonly Option[], path: string) {
  const { tokens } = parseArgs({
    args: words,
    options: Object.fromEntries(
      declared.map(({ name, short, value }) => [
        name,
        {
          type: value === undefined ? 'boolean' : 'string',
          multiple: true,
          ...(short && { short }),
        } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string[]>()
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const option = declared.find(({ name }) => name === token.name)
    if (!option) throw unknownOption(token.rawName, declared, path)
    const value = readValue(option, token)
    values.set(option.name, [...(values.get(option.name) ?? []), value])
  }
  return { values, args }
}

interface OptionToken {
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function readValue({ value: name }: Option, { rawName, value, inlineValue }: OptionToken): string {
  if (name === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    return ''
  }
  // `--query --all` forgets a value. `-` alone means standard input.
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${name}`)
  }
  return value
}

function unknownOption(rawName: string, declared: readonly Option[], path: string): UsageError {
  const names = declared.map(({ name }) => `--${name}`)
  const near = rawName.startsWith('--') ? nearest(rawName, names) : undefined
  return new UsageError(`There is no option ${rawName}.${didYouMean(near)} ${seeHelp(path)}`)
}
