import { isExactNumber } from './json-number.ts'

/** Something in a JSON text that `JSON.parse` lets through and the console does not. */
export interface Finding {
  kind: 'inexact_number' | 'nul' | 'lone_surrogate' | 'prototype_name'
  path: (string | number)[]
  /** The number as it was written. */
  literal?: string
}

export interface Scan {
  isTooDeep: boolean
  /** What is wrong inside the wanted members of the outermost object. */
  findings: Finding[]
  /** The wanted members that are numbers themselves, as they were written. Of two with one name the last
   * counts, as it does for `JSON.parse`. */
  numbers: Map<string, string>
}

export interface ScanOptions {
  /** Whether anybody reads this member of the outermost object. Others may hold whatever they like. */
  isWanted: (name: string) => boolean
  maxDepth: number
  maxFindings: number
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

/** The names of a path are the caller's own text, and each finding repeats them. */
const MAX_NAME_LENGTH = 100

/** Reads a JSON text once, in time linear in its length, without building anything from it. Whether it is
 * JSON at all is left to `JSON.parse`: on a text that is not, the findings mean nothing. */
export function scanJson(text: string, { isWanted, maxDepth, maxFindings }: ScanOptions): Scan {
  const findings: Finding[] = []
  const numbers = new Map<string, string>()
  // Where one stands: for each open container the place of its current key, or the index of its item.
  const keyStart = new Int32Array(maxDepth + 1)
  const position = new Int32Array(maxDepth + 1)
  const names: (string | undefined)[] = []
  let depth = 0
  let expectsKey = false
  // The member of the outermost object one is in.
  let member = ''
  let wanted = false

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
  const found = (kind: Finding['kind'], levels: number, literal?: string) => {
    findings.push({ kind, path: path(levels), ...(literal === undefined ? {} : { literal }) })
    // Enough: only the depth is still of interest.
    if (findings.length === maxFindings) wanted = false
  }

  // The next backslash, so that a string without one is neither cut out nor looked at again.
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
          wanted = isWanted(member) && findings.length < maxFindings
        }
      }
      const mayBeFound = isKey || (escape !== -1 && escape < end)
      const kind = wanted && mayBeFound ? inspectString(text.slice(index, end), isKey) : null
      // A name that cannot be stored is the fault of the object that holds it.
      if (kind) found(kind, isKey && kind !== 'prototype_name' ? depth - 1 : depth)
      index = end - 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > maxDepth) return { isTooDeep: true, findings, numbers }
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
      if (wanted && depth === 1) numbers.set(member, text.slice(index, end))
      // A single digit is always exact, and there may be half a million of them.
      else if (wanted && end > index + 1) {
        const literal = text.slice(index, end)
        if (!isExactNumber(literal)) found('inexact_number', depth, literal)
      }
      index = end - 1
    }
  }
  return { isTooDeep: false, findings, numbers }
}

/** The index behind the closing quote, or -1. `escape` is the first backslash behind the opening one. */
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

/** The index behind the last character that a number may have. */
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

/** The text between the quotes, or nothing where it is not a JSON string. */
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
