import { type JsonPath, type JsonVisitor, walkJson } from './walk.ts'

const MAX_DEPTH = 64
/** Each violation contains a path of up to 64 names. */
const MAX_VIOLATIONS = 100

/** Names are chosen by the client, and each violation repeats them. */
const MAX_NAME_LENGTH = 100

const FORBIDDEN_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A value that `JSON.parse` accepts and the console rejects. */
export interface Violation {
  kind: 'inexact_number' | 'nul' | 'lone_surrogate' | 'prototype_name'
  path: (string | number)[]
  /** The literal of an inexact number. */
  literal?: string
}

export interface JsonBody {
  readonly value: unknown
  /** In the known members of the outermost object. */
  readonly violations: readonly Violation[]
  /** The literals of the known members that are numbers. If a name occurs twice the last one counts, as in `JSON.parse`. */
  readonly numbers: ReadonlyMap<string, string>
}

/** Parses JSON, and finds what the database could not store or a double could not hold. Returns the position of the error, in
 * characters, if it is no JSON. `isKnown`: whether the console reads this member of the outermost object. Other members may hold
 * any value. */
export function parseExactJson(
  bytes: Buffer,
  isKnown: (name: string) => boolean,
): JsonBody | { errorAt: number } {
  const text = decode(bytes)
  if (text === undefined) return { errorAt: 0 }
  const finder = new ViolationFinder(isKnown, MAX_VIOLATIONS)
  // Before JSON.parse, so that a deeply nested body is never parsed.
  const errorAt = walkJson(text, MAX_DEPTH, finder)
  if (errorAt !== undefined) return { errorAt }
  return { value: JSON.parse(text) as unknown, violations: finder.violations, numbers: finder.numbers }
}

class ViolationFinder implements JsonVisitor {
  readonly violations: Violation[] = []
  readonly numbers = new Map<string, string>()
  readonly #isKnown: (name: string) => boolean
  readonly #max: number
  #isInKnown = false

  constructor(isKnown: (name: string) => boolean, max: number) {
    this.#isKnown = isKnown
    this.#max = max
  }

  onName(path: JsonPath): void {
    const name = path.at(-1) as string
    if (path.length === 1) this.#isInKnown = this.#isKnown(name)
    if (!this.#isInKnown) return
    if (name === '__proto__') this.#report('prototype_name', path)
    // A name that cannot be stored is reported at the object that contains it.
    else this.#checkText(name, path.slice(0, -1))
  }

  onEscapedString(quoted: string, path: JsonPath): void {
    if (!this.#isInKnown || !FORBIDDEN_ESCAPE.test(quoted)) return
    this.#checkText(JSON.parse(quoted) as string, path)
  }

  onNumber(literal: string, path: JsonPath): void {
    if (!this.#isInKnown) return
    if (path.length === 1) this.numbers.set(path[0] as string, literal)
    else if (!isExactNumber(literal)) this.#report('inexact_number', path, literal)
  }

  #checkText(text: string, path: JsonPath): void {
    if (text.includes('\0')) this.#report('nul', path)
    else if (!text.isWellFormed()) this.#report('lone_surrogate', path)
  }

  #report(kind: Violation['kind'], path: JsonPath, literal?: string): void {
    if (this.violations.length >= this.#max) return
    const shown = path.map((name) => (typeof name === 'string' ? shorten(name) : name))
    this.violations.push({ kind, path: shown, ...(literal !== undefined && { literal }) })
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export function shorten(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`
}

/** Whether a JSON number literal keeps all its digits when it is parsed as a double. Comparing digits is enough, because the
 * magnitudes of a literal and its double cannot differ. */
export function isExactNumber(literal: string): boolean {
  // Most numbers: up to 15 digits without an exponent.
  if (literal.length <= 15 && !/e/i.test(literal)) return true
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  const formatted = String(value)
  if (formatted === literal) return true
  const [left, right] = [significantDigits(formatted), significantDigits(literal)]
  const length = Math.max(left.length, right.length)
  // Trimming with /0+$/ instead would be quadratic on long runs of inner zeros.
  return left.padEnd(length, '0') === right.padEnd(length, '0')
}

function significantDigits(literal: string): string {
  const [mantissa = ''] = literal.split(/e/i, 1)
  return mantissa.replace(/^-?[0.]*/, '').replace('.', '')
}
