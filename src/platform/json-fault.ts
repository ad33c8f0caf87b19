const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Where a text stops being JSON, or nests deeper than allowed, counted in characters; undefined where it does
 * neither. `JSON.parse` says so only for some faults, quotes the input while it does, and builds what nobody may
 * have asked for: a few megabytes of `[{},{},…]` take it a second. This builds nothing. */
export function findJsonFault(text: string, maxDepth: number): number | undefined {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0), maxDepth))
    return end === text.length ? undefined : charactersBefore(text, end)
  } catch (fault) {
    if (fault instanceof FaultAt) return charactersBefore(text, fault.index)
    throw fault
  }
}

class FaultAt extends Error {
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

/** The second half of a character that takes two; a decoded body has no such half alone. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The index after what `pattern` matches at `index`, or -1. */
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

/** `depth` is how many containers may still open. */
function readValue(text: string, index: number, depth: number): number {
  const first = text[index]
  if (depth === 0 && (first === '{' || first === '[')) throw new FaultAt(index)
  if (first === '{') return readMembers(text, index, '}', readMember, depth - 1)
  if (first === '[') return readMembers(text, index, ']', readValue, depth - 1)
  if (first === '"') return readString(text, index)
  const end = match(LITERAL, text, index)
  if (end === -1) throw new FaultAt(index)
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
    if (text[index] !== ',') throw new FaultAt(index)
    index = skipSpace(text, index + 1)
  }
}

function readMember(text: string, index: number, depth: number): number {
  if (text[index] !== '"') throw new FaultAt(index)
  const colon = skipSpace(text, readString(text, index))
  if (text[colon] !== ':') throw new FaultAt(colon)
  return readValue(text, skipSpace(text, colon + 1), depth)
}

function readString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x22) return index + 1
    if (code < 0x20) throw new FaultAt(index)
    if (code === 0x5c) {
      const end = match(ESCAPE, text, index)
      if (end === -1) throw new FaultAt(index)
      index = end
    } else {
      index++
    }
  }
  throw new FaultAt(start)
}
