/** Where a name or value is. It changes while the walk goes on: copy it to keep it. */
export type JsonPath = readonly (string | number)[]

export interface JsonVisitor {
  /** The path ends with the name. Its value follows. */
  onName: (path: JsonPath) => void
  /** Only of strings with an escape: others are what they look like. With its quotes. */
  onEscapedString: (quoted: string, path: JsonPath) => void
  onNumber: (literal: string, path: JsonPath) => void
}

/** Part of a string: no control characters, quotes or lone backslashes. Bounded: a repetition without a limit needs memory for each
 * escape. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,200}/y
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

/** Reads a JSON text without building objects, in linear time. Returns the position, in characters, of the first syntax error or
 * of a container nested too deep; undefined for valid JSON. `JSON.parse` gives a position only for some errors, quotes the
 * input, and takes a second to build a few megabytes of `[{},{},…]`. */
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
