import { isExactNumber } from './json-number.ts'

/** A value that `JSON.parse` accepts and the console rejects. */
export interface Violation {
  kind: 'inexact_number' | 'nul' | 'lone_surrogate' | 'prototype_name'
  path: (string | number)[]
  /** The literal of an inexact number. */
  literal?: string
}

export interface Scan {
  isTooDeep: boolean
  /** In the known members of the outermost object. */
  violations: Violation[]
  /** The literals of the known members that are numbers. If a name occurs twice the last one counts, as in `JSON.parse`. */
  numbers: Map<string, string>
}

export interface ScanOptions {
  /** Whether the console reads this member of the outermost object. Other members may hold any value. */
  isKnown: (name: string) => boolean
  maxDepth: number
  maxViolations: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e

const FORBIDDEN_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
const IN_ARRAY = -1

/** A path contains names chosen by the client, and each violation repeats them. */
const MAX_NAME_LENGTH = 100

/** Scans a JSON text in one pass and linear time, without building objects. It does not check the syntax: only use
 * the result if `JSON.parse` accepts the text. */
export function scanJson(text: string, { isKnown, maxDepth, maxViolations }: ScanOptions): Scan {
  const violations: Violation[] = []
  const numbers = new Map<string, string>()
  // The current path. For each open object: start and end of its current key. For each open array: IN_ARRAY and the
  // index of its current item.
  const keyStart = new Int32Array(maxDepth + 1)
  const position = new Int32Array(maxDepth + 1)
  const names: (string | undefined)[] = []
  let depth = 0
  let expectsKey = false
  // The current member of the outermost object.
  let member = ''
  let isReporting = false

  const path = (levels: number): (string | number)[] => {
    const keys: (string | number)[] = []
    for (let level = 1; level <= levels; level++) {
      const start = keyStart[level] as number
      const end = position[level] as number
      if (start === IN_ARRAY) keys.push(end)
      else keys.push((names[level] ??= shorten(decodeString(text.slice(start, end)))))
    }
    return keys
  }
  const report = (kind: Violation['kind'], levels: number, literal?: string) => {
    violations.push({ kind, path: path(levels), ...(literal === undefined ? {} : { literal }) })
    if (violations.length === maxViolations) isReporting = false
  }

  // The next backslash: a string without one needs no decoding.
  let escape = text.indexOf('\\')

  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      if (escape !== -1 && escape < index) escape = text.indexOf('\\', index)
      const end = endOfString(text, index, escape)
      if (end === -1) break
      const isKey = expectsKey
      if (isKey) {
        keyStart[depth] = index
        position[depth] = end
        names[depth] = undefined
        expectsKey = false
        if (depth === 1) {
          member = decodeString(text.slice(index, end))
          isReporting = isKnown(member) && violations.length < maxViolations
        }
      }
      const mayViolate = isKey || (escape !== -1 && escape < end)
      const kind = isReporting && mayViolate ? findStringViolation(text.slice(index, end), isKey) : null
      // A member name that cannot be stored is reported at the object that contains it.
      if (kind) report(kind, isKey && kind !== 'prototype_name' ? depth - 1 : depth)
      index = end - 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > maxDepth) return { isTooDeep: true, violations, numbers }
      expectsKey = code === OPEN_OBJECT
      keyStart[depth] = IN_ARRAY
      position[depth] = 0
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (--depth < 0) break
      expectsKey = false
    } else if (code === COMMA) {
      if (keyStart[depth] === IN_ARRAY) position[depth] = (position[depth] as number) + 1
      else expectsKey = true
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, index)
      if (isReporting && depth === 1) numbers.set(member, text.slice(index, end))
      // Skips single digits, which are always exact: a body may hold half a million of them.
      else if (isReporting && end > index + 1) {
        const literal = text.slice(index, end)
        if (!isExactNumber(literal)) report('inexact_number', depth, literal)
      }
      index = end - 1
    }
  }
  return { isTooDeep: false, violations, numbers }
}

/** The index after the closing quote, or -1. `escape` is the first backslash after the opening quote. */
function endOfString(text: string, start: number, escape: number): number {
  let quote = text.indexOf('"', start + 1)
  if (escape === -1 || escape > quote) return quote === -1 ? -1 : quote + 1
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? -1 : quote + 1
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

/** The index after the last character that can be part of a number. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++
  return end
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === PLUS || code === MINUS || code === 0x65 || code === 0x45
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** A valid text contains the rejected characters only as escapes, so most strings are not decoded. */
function findStringViolation(
  quoted: string,
  isKey: boolean,
): Exclude<Violation['kind'], 'inexact_number'> | null {
  if (isKey && quoted === '"__proto__"') return 'prototype_name'
  if (!quoted.includes('\\u')) return null
  if (!isKey && !FORBIDDEN_ESCAPE.test(quoted)) return null
  const decoded = decodeString(quoted)
  if (isKey && decoded === '__proto__') return 'prototype_name'
  if (decoded.includes('\0')) return 'nul'
  return decoded.isWellFormed() ? null : 'lone_surrogate'
}

/** Returns an empty string if `quoted` is not a JSON string. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return ''
  }
}

function shorten(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`
}
