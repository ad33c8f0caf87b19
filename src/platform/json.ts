/** Where a name or value is. It changes while the walk goes on: copy it to keep it. */
export type JsonPath = readonly (string | number)[]

export interface JsonVisitor {
  /** The path ends with the name. Its value follows. */
  onName: (path: JsonPath) => void
  /** Only of strings with an escape: others are what they look like. With its quotes. */
  onEscapedString: (quoted: string, path: JsonPath) => void
  onNumber: (literal: string, path: JsonPath) => void
}

/** Part of a string: no control characters, quotes or lone backslashes. Bounded: a repetition without a limit needs
 * memory for each escape. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,200}/y
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

/** Reads a JSON text without building objects, in linear time. Returns the position, in characters, of the first syntax
 * error or of a container nested too deep; undefined for valid JSON. `JSON.parse` gives a position only for some
 * errors, quotes the input, and takes a second to build a few megabytes of `[{},{},…]`. */
export function walkJson(text: string, maxDepth: number, visitor?: JsonVisitor): number | undefined {
  try {
    new JsonWalk(text, visitor).readDocument(maxDepth)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxErrorAt) return charactersBefore(text, error.index)
    throw error
  }
}

class SyntaxErrorAt extends Error {
  readonly index: number

  constructor(index: number) {
    super('Not JSON')
    this.index = index
  }
}

class JsonWalk {
  readonly #text: string
  readonly #visitor: JsonVisitor | undefined
  readonly #path: (string | number)[] = []
  #index = 0
  #escape = -1

  constructor(text: string, visitor: JsonVisitor | undefined) {
    this.#text = text
    this.#visitor = visitor
  }

  readDocument(maxDepth: number): void {
    this.#skipSpace()
    this.#readValue(maxDepth)
    this.#skipSpace()
    if (this.#index !== this.#text.length) throw new SyntaxErrorAt(this.#index)
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++
  }

  /** `depth`: how many more levels may be nested. */
  #readValue(depth: number): void {
    const start = this.#index
    const first = this.#text[start]
    if (first === '{' || first === '[') {
      if (depth === 0) throw new SyntaxErrorAt(start)
      if (first === '{') this.#readObject(depth - 1)
      else this.#readArray(depth - 1)
    } else if (first === '"') {
      const quoted = this.#readString()
      if (quoted !== undefined) this.#visitor?.onEscapedString(quoted, this.#path)
    } else {
      this.#readLiteral(start)
    }
  }

  #readLiteral(start: number): void {
    LITERAL.lastIndex = start
    if (!LITERAL.test(this.#text)) throw new SyntaxErrorAt(start)
    this.#index = LITERAL.lastIndex
    const isNumber = this.#text.charCodeAt(start) < 0x40
    if (isNumber) this.#visitor?.onNumber(this.#text.slice(start, this.#index), this.#path)
  }

  #readArray(depth: number): void {
    if (this.#isEmpty(']')) return
    const level = this.#path.length
    for (let item = 0; ; item++) {
      this.#path[level] = item
      this.#readValue(depth)
      if (this.#isAtEnd(']')) break
    }
    this.#path.length = level
  }

  #readObject(depth: number): void {
    if (this.#isEmpty('}')) return
    const level = this.#path.length
    do {
      this.#path[level] = this.#readName()
      this.#visitor?.onName(this.#path)
      this.#skipSpace()
      if (this.#text[this.#index] !== ':') throw new SyntaxErrorAt(this.#index)
      this.#index++
      this.#skipSpace()
      this.#readValue(depth)
    } while (!this.#isAtEnd('}'))
    this.#path.length = level
  }

  /** Whether the container that begins here has nothing in it. */
  #isEmpty(close: string): boolean {
    this.#index++
    this.#skipSpace()
    if (this.#text[this.#index] !== close) return false
    this.#index++
    return true
  }

  /** Whether the container ends here. Otherwise another item follows a comma. */
  #isAtEnd(close: string): boolean {
    this.#skipSpace()
    const next = this.#text[this.#index]
    if (next !== close && next !== ',') throw new SyntaxErrorAt(this.#index)
    this.#index++
    if (next === ',') this.#skipSpace()
    return next === close
  }

  #readName(): string {
    const start = this.#index
    if (this.#text[start] !== '"') throw new SyntaxErrorAt(start)
    const quoted = this.#readString()
    return quoted === undefined
      ? this.#text.slice(start + 1, this.#index - 1)
      : (JSON.parse(quoted) as string)
  }

  /** Returns the string with its quotes if it has an escape. */
  #readString(): string | undefined {
    const start = this.#index
    let index = start + 1
    CHARACTERS.lastIndex = index
    while (CHARACTERS.test(this.#text)) index = CHARACTERS.lastIndex
    const next = this.#text[index]
    if (next === undefined) throw new SyntaxErrorAt(start)
    if (next !== '"') throw new SyntaxErrorAt(index)
    this.#index = index + 1
    return this.#nextEscape(start) < index ? this.#text.slice(start, this.#index) : undefined
  }

  /** The first backslash from here on. */
  #nextEscape(start: number): number {
    if (this.#escape < start) {
      const found = this.#text.indexOf('\\', start)
      this.#escape = found === -1 ? this.#text.length : found
    }
    return this.#escape
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function charactersBefore(text: string, index: number): number {
  let count = 0
  for (let i = 0; i < index; i++) if (!isLowSurrogate(text.charCodeAt(i))) count++
  return count
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

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
  /** The literals of the known members that are numbers. If a name occurs twice the last one counts, as in
   * `JSON.parse`. */
  readonly numbers: ReadonlyMap<string, string>
}

/** Parses JSON, and finds what the database could not store or a double could not hold. Returns the position of the
 * error, in characters, if it is no JSON. `isKnown`: whether the console reads this member of the outermost object.
 * Other members may hold any value. */
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

/** Whether a JSON number literal keeps all its digits when it is parsed as a double. Comparing digits is enough,
 * because the magnitudes of a literal and its double cannot differ. */
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

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
