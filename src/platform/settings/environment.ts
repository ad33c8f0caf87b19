import { readFileSync } from 'node:fs'

export type Environment = Record<string, string | undefined>

/** The text of a variable, or of the file that the variable with the suffix `_FILE` names; empty if neither is set. An empty
 * variable counts as absent: compose files pass `${NAME:-}`. The errors continue a sentence that begins with the name, and
 * do not contain the name of the file: by mistake it may be the value itself. */
export function readVariable(environment: Environment, name: string): string {
  const text = (environment[name] ?? '').trim()
  const file = (environment[`${name}_FILE`] ?? '').trim()
  if (file === '') return text
  if (text !== '') throw new Error(`and ${name}_FILE are both set: set one of them`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`cannot be read from the file that ${name}_FILE names (${code})`, { cause: error })
  }
}
