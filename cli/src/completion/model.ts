import { COMMANDS, GROUPS } from '../grammar/commands.ts'
import { GLOBAL_OPTIONS } from '../grammar/global-options.ts'
import type { Argument, Completion, Option } from '../grammar/types.ts'

/** What a shell may offer after some words. */
export interface Place {
  /** The words, such as `agents list`; empty at the beginning. */
  path: string
  /** Words that may follow, with what they mean. */
  words: { word: string; summary: string }[]
  options: readonly Option[]
  args: readonly Argument[]
}

export function places(): Place[] {
  const known = [{ path: '', summary: '' }, ...GROUPS, ...COMMANDS]
  return known.map(({ path }) => {
    const command = COMMANDS.find((each) => each.path === path)
    return {
      path,
      words: wordsAfter(path, known),
      options: [...(command?.options ?? []), ...GLOBAL_OPTIONS],
      args: command?.args ?? [],
    }
  })
}

function wordsAfter(path: string, known: readonly { path: string; summary: string }[]) {
  const prefix = path === '' ? '' : `${path} `
  return known
    .filter((each) => each.path.startsWith(prefix) && each.path.length > prefix.length)
    .map((each) => ({ word: each.path.slice(prefix.length), summary: each.summary }))
    .filter(({ word }) => !word.includes(' '))
}

/** `--status`, and `-o` where there is a short form. */
export const spellings = ({ name, short }: Option): string[] => [`--${name}`, ...(short ? [`-${short}`] : [])]

/** All spellings of options that take a value, of any command. */
export const valueSpellings = (all: readonly Place[]): string[] => [
  ...new Set(all.flatMap(({ options }) => options.filter(({ value }) => value).flatMap(spellings))),
]

/** Prints the names of the profiles. */
export const PROFILES_COMMAND = 'agent-console profiles --output name 2>/dev/null'

export const isList = (complete: Completion | undefined): complete is readonly string[] =>
  Array.isArray(complete)
