import { type Environment, readVariable } from './environment.ts'

/** Lists every configuration error. */
export class ConfigInvalid extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    super(`The configuration has ${count}:\n${errors.map((error) => `  - ${error}`).join('\n')}`)
    this.name = 'ConfigInvalid'
    this.errors = errors
  }
}

/** Several errors of one variable. Each continues a sentence that begins with its name. */
export class SettingInvalid extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.errors = errors
  }
}

export type Reader = ReturnType<typeof createReader>

/** Reads variables, and collects the errors of all of them. */
export function createReader(environment: Environment) {
  const errors: string[] = []
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some((each) => (environment[each] ?? '').trim() !== '')
  /** Collects an error for a missing or invalid value; `finish` then throws. */
  const read = <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
    try {
      const text = readVariable(environment, name)
      if (text !== '') return parse(text)
      if (fallback === undefined) errors.push(`${name} is missing`)
      return fallback as T
    } catch (error) {
      const messages = error instanceof SettingInvalid ? error.errors : [(error as Error).message]
      errors.push(...messages.map((message) => `${name} ${message}`))
      return undefined as T
    }
  }
  return {
    ...{ isSet, read },
    readOptional: <T>(name: string, parse: (text: string) => T): T | undefined =>
      isSet(name) ? read(name, parse) : undefined,
    /** Adds an error of its own. */
    refuse: (error: string) => void errors.push(error),
    hasErrors: () => errors.length > 0,
    finish: <T extends object>(config: T): T => {
      if (errors.length > 0) throw new ConfigInvalid([...new Set(errors)])
      return deepFreeze(config)
    },
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member)
  }
  return Object.freeze(value)
}
