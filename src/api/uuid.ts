import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const HYPHENATED_GROUPS = [8, 4, 4, 4, 12]
const NORMAL_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type Parsed = { ok: true; uuid: string } | { ok: false; error: string }

const fail = (error: string): Parsed => ({ ok: false, error })

/** Parses a UUID in any accepted format: hyphenated, 32 digits, or hyphenated with the prefix `urn:uuid:` or in
 * braces; upper or lower case. Returns the lower-case hyphenated form, or the error text of pydantic. */
export function parseUuid(input: string): Parsed {
  if (NORMAL_FORM.test(input)) return { ok: true, uuid: input }
  let text = input
  let mayBeSimple = true
  if (text.startsWith('urn:uuid:')) {
    text = text.slice('urn:uuid:'.length)
    mayBeSimple = false
  } else if (text.startsWith('{') && text.endsWith('}')) {
    text = text.slice(1, -1)
    mayBeSimple = false
  }

  const position = text.search(/[^0-9a-fA-F-]/)
  if (position !== -1) {
    return fail(
      'invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], ' +
        `found one at ${position + 1}`,
    )
  }
  const groupCount = countGroups(text)
  if (groupCount === 1) {
    if (mayBeSimple && text.length === 32) return { ok: true, uuid: hyphenate(text.toLowerCase()) }
    return fail(`invalid length: expected length 32 for simple format, found ${input.length}`)
  }
  if (groupCount !== 5) return fail(`invalid group count: expected 5, found ${groupCount}`)
  const groups = text.split('-')
  for (const [index, expected] of HYPHENATED_GROUPS.entries()) {
    const found = groups[index]?.length
    if (found !== expected) {
      return fail(`invalid group length in group ${index}: expected ${expected}, found ${found}`)
    }
  }
  return { ok: true, uuid: text.toLowerCase() }
}

/** Does not split the text, because it may hold a million hyphens. */
function countGroups(text: string): number {
  let count = 1
  for (let index = 0; index < text.length; index++) if (text[index] === '-') count++
  return count
}

function hyphenate(digits: string): string {
  return [0, 8, 12, 16, 20].map((start, i, starts) => digits.slice(start, starts[i + 1])).join('-')
}

const ID_BYTES = 16

// Filled for 256 ids at once: every request gets an id, and each call of randomFillSync costs microseconds.
const random = new Uint8Array(256 * ID_BYTES)
let used = random.length

/** A UUID version 7 for the current time, or for a time in milliseconds since the epoch. */
export function newId(msecs: number = Date.now()): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  used += ID_BYTES
  return v7({ msecs, random: random.subarray(used - ID_BYTES, used) })
}

/** Below every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** The time of a UUID version 7, in milliseconds since the epoch. */
export function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

/** A UUID version 7 has 48 bits for its time. */
const MAX_MS = 2 ** 48 - 1

/** The smallest UUID version 7 of a time in milliseconds, or of the nearest time that an id can have. */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
