import { UsageError } from '../failure.ts'
import type { Option } from './types.ts'

/** The options of one call. Reading one that the command does not declare is a fault of the program. */
export class Options {
  readonly #declared: ReadonlyMap<string, Option>
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(declared: Iterable<Option>, values: ReadonlyMap<string, readonly string[]>) {
    this.#declared = new Map([...declared].map((option) => [option.name, option]))
    this.#values = values
  }

  /** Whether the switch is on. */
  isOn(name: string): boolean {
    return this.#read(name).length > 0
  }

  text(name: string): string | undefined {
    return this.#read(name).at(-1)
  }

  /** All values of an option that may be repeated. Commas separate values, too. */
  list(name: string): string[] {
    return this.#read(name).flatMap((value) => value.split(',').filter(Boolean))
  }

  /** All values as they were given. */
  all(name: string): readonly string[] {
    return this.#read(name)
  }

  /** A positive integer. */
  count(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readCount(text, `--${name}`)
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readChoice(text, choices, `--${name}`)
  }

  choices<T extends string>(name: string, choices: readonly T[]): T[] {
    return this.list(name).map((text) => readChoice(text, choices, `--${name}`))
  }

  #read(name: string): readonly string[] {
    if (!this.#declared.has(name)) throw new TypeError(`The command declares no option ${name}`)
    return this.#values.get(name) ?? []
  }
}

export function readCount(text: string, what: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count)) {
    throw new UsageError(`${what} must be a positive integer, not ${text}.`)
  }
  return count
}

export function readChoice<T extends string>(text: string, choices: readonly T[], what: string): T {
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new UsageError(`${what} is one of ${choices.join(', ')}, not ${text}.`)
  return choice
}

const UNITS = { ms: 1, s: 1_000, m: 60_000 } as const

/** A duration such as `500ms`, `30s` or `2m`; a bare number counts seconds. */
export function readDuration(text: string, what: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? []
  const ms = Math.round(Number(number) * UNITS[unit as keyof typeof UNITS])
  if (number === '' || ms < 1 || ms > 3_600_000) {
    throw new UsageError(`${what} must be a time up to an hour, such as 500ms, 30s or 2m, not ${text}.`)
  }
  return ms
}
