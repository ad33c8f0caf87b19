import { isExactNumber } from './json-number.ts'

/** Something in a JSON text that `JSON.parse` lets through and the console does not. */
export interface Finding {
  kind: 'inexact_number' | 'nul' | 'lone_surrogate' | 'prototype_name'
  path: (string | number)[]
  /** The number as it was written. */
  literal?: string
}

export interface Scan {
  /** Where the text nests deeper than allowed, or -1. */
  tooDeepAt: number
  findings: Finding[]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d

const NUMBER = /-?\d[\d.eE+-]*/y
const FORBIDDEN_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
const IN_ARRAY = -1

/** Reads a JSON text once, in time linear in its length, without building anything from it. Whether it is
 * JSON at all is left to `JSON.parse`: on a text that is not, the findings mean nothing. */
export function scanJson(text: string, maxDepth: number, maxFindings: number): Scan {
  const findings: Finding[] = []
  // Where one stands: for each open container the place of its current key, or the index of its item.
  const keyStart = new Int32Array(maxDepth + 1)
  const position = new Int32Array(maxDepth + 1)
  let depth = 0
  let expectsKey = false

  const path = (levels: number): (string | number)[] => {
    const keys: (string | number)[] = []
    for (let level = 1; level <= levels; level++) {
      const start = keyStart[level] as number
      const end = position[level] as number
      keys.push(start === IN_ARRAY ? end : decodeString(text.slice(start, end)))
    }
    return keys
  }
  const found = (finding: Finding) => {
    if (findings.length < maxFindings) findings.push(finding)
  }

  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      const end = endOfString(text, index)
      if (end === -1) break
      const isKey = expectsKey
      if (isKey) {
        keyStart[depth] = index
        position[depth] = end
        expectsKey = false
      }
      const kind = inspectString(text.slice(index, end), isKey)
      // A name that cannot be stored is the fault of the object that holds it.
      if (kind) found({ kind, path: path(isKey && kind !== 'prototype_name' ? depth - 1 : depth) })
      index = end - 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > maxDepth) return { tooDeepAt: index, findings }
      expectsKey = code === OPEN_OBJECT
      keyStart[depth] = IN_ARRAY
      position[depth] = 0
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (--depth < 0) break
      expectsKey = false
    } else if (code === COMMA) {
      if (keyStart[depth] === IN_ARRAY) position[depth] = (position[depth] as number) + 1
      else expectsKey = true
    } else if (code !== COLON && (code === MINUS || (code >= 0x30 && code <= 0x39))) {
      NUMBER.lastIndex = index
      if (!NUMBER.test(text)) break
      const literal = text.slice(index, NUMBER.lastIndex)
      if (!isExactNumber(literal)) found({ kind: 'inexact_number', path: path(depth), literal })
      index = NUMBER.lastIndex - 1
    }
  }
  return { tooDeepAt: -1, findings }
}

/** The index behind the closing quote, or -1. */
function endOfString(text: string, start: number): number {
  let quote = start
  do {
    quote = text.indexOf('"', quote + 1)
    if (quote === -1) return -1
  } while (isEscaped(text, quote))
  return quote + 1
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

/** The string with its quotes. Forbidden characters can only come in escaped, so most strings are not
 * decoded at all. */
function inspectString(quoted: string, isKey: boolean): Exclude<Finding['kind'], 'inexact_number'> | null {
  if (isKey && quoted === '"__proto__"') return 'prototype_name'
  if (!quoted.includes('\\u')) return null
  if (!isKey && !FORBIDDEN_ESCAPE.test(quoted)) return null
  const decoded = decodeString(quoted)
  if (isKey && decoded === '__proto__') return 'prototype_name'
  if (decoded.includes('\0')) return 'nul'
  return decoded.isWellFormed() ? null : 'lone_surrogate'
}

function decodeString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return ''
  }
}
