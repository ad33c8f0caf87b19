import { readFileSync } from 'node:fs'
import { ConfigInvalid } from '../platform/process.ts'

export type Environment = Record<string, string | undefined>

/** The text of a variable, or of the file that the variable with the suffix `_FILE` names; empty if neither is set. An
 * empty variable counts as absent: compose files pass `${NAME:-}`. The errors continue a sentence that begins with the
 * name, and do not contain the name of the file: by mistake it may be the value itself. */
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

/** Parsers of variables. Their errors continue a sentence that begins with the name of the variable. */

export const parseText = (text: string) => text

export function parseInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
  return value
}

export const parsePort = (text: string) => parseInteger(text, 0, 65_535)

export function parseUrl(text: string, protocols: string[]): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`)
  }
  return text
}

export const parseHttpUrl = (text: string) => parseUrl(text, ['https:', 'http:'])
export const parseDatabaseUrl = (text: string) => parseUrl(text, ['postgres:', 'postgresql:'])

/** Rejects the parts that a request to a path of this URL would not contain. */
export function parsePlainUrl(text: string): string {
  const { username, password, search, hash } = new URL(parseHttpUrl(text))
  if (username || password || search || hash) throw new Error('must have no credentials, query or fragment')
  return text
}

export function parseUri(text: string): string {
  if (!URL.canParse(text)) throw new Error('must be an absolute URI')
  return text
}

export function parseRatio(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}

export function parseOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  if (!(values as readonly string[]).includes(text)) throw new Error(`must be one of ${values.join(', ')}`)
  return text as Value
}

export const parseSwitch = (text: string) => parseOneOf(text, ['on', 'off']) === 'on'

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
    isSet,
    read,
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
