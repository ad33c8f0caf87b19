const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Returns the position, in characters, of the first syntax error or of a container nested too deep; undefined for
 * valid JSON. `JSON.parse` gives a position only for some errors, quotes the input, and builds objects: a few
 * megabytes of `[{},{},…]` take it a second. */
export function findJsonSyntaxError(text: string, maxDepth: number): number | undefined {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0), maxDepth))
    return end === text.length ? undefined : charactersBefore(text, end)
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

function charactersBefore(text: string, index: number): number {
  let count = 0
  for (let i = 0; i < index; i++) if (!isLowSurrogate(text.charCodeAt(i))) count++
  return count
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The end of the match of `pattern` at `index`, or -1. */
function match(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index
  return pattern.test(text) ? pattern.lastIndex : -1
}

function skipSpace(text: string, start: number): number {
  let index = start
  while (isSpace(text.charCodeAt(index))) index++
  return index
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** `depth`: how many more levels may be nested. */
function readValue(text: string, index: number, depth: number): number {
  const first = text[index]
  if (depth === 0 && (first === '{' || first === '[')) throw new SyntaxErrorAt(index)
  if (first === '{') return readMembers(text, index, '}', readMember, depth - 1)
  if (first === '[') return readMembers(text, index, ']', readValue, depth - 1)
  if (first === '"') return readString(text, index)
  const end = match(LITERAL, text, index)
  if (end === -1) throw new SyntaxErrorAt(index)
  return end
}

function readMembers(
  text: string,
  start: number,
  close: string,
  readOne: (text: string, index: number, depth: number) => number,
  depth: number,
): number {
  let index = skipSpace(text, start + 1)
  if (text[index] === close) return index + 1
  for (;;) {
    index = skipSpace(text, readOne(text, index, depth))
    if (text[index] === close) return index + 1
    if (text[index] !== ',') throw new SyntaxErrorAt(index)
    index = skipSpace(text, index + 1)
  }
}

function readMember(text: string, index: number, depth: number): number {
  if (text[index] !== '"') throw new SyntaxErrorAt(index)
  const colon = skipSpace(text, readString(text, index))
  if (text[colon] !== ':') throw new SyntaxErrorAt(colon)
  return readValue(text, skipSpace(text, colon + 1), depth)
}

function readString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x22) return index + 1
    if (code < 0x20) throw new SyntaxErrorAt(index)
    if (code === 0x5c) {
      const end = match(ESCAPE, text, index)
      if (end === -1) throw new SyntaxErrorAt(index)
      index = end
    } else {
      index++
    }
  }
  throw new SyntaxErrorAt(start)
}
