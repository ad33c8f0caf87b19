import { randomBytes } from 'node:crypto'

/** Secrets that can be found again wherever they leak to. All of a flock share a marker, so that one search for each
 * spelling of the marker finds any of them, whole or in part. */
export interface Flock {
  /** A new canary, with characters that JSON, URLs and SQL each write differently. */
  hatch: () => string
  /** Where canaries show in a text, in any spelling, but for those that may. */
  find: (text: string | Buffer, allowed?: string[]) => string[]
  count: () => number
}

const CONTEXT = 40

export function createFlock(): Flock {
  const marker = `c${randomBytes(6).toString('hex')}`
  const spellings = Object.entries(spell(marker))
  let hatched = 0

  return {
    hatch: () => `sk-${marker}-${++hatched}-"\\/é'%-${randomBytes(2).toString('hex')}`,
    count: () => hatched,
    find(text, allowed = []) {
      let bytes = Buffer.isBuffer(text) ? text : Buffer.from(text)
      if (allowed.length > 0) {
        let rest = bytes.toString()
        for (const canary of allowed) rest = rest.replaceAll(JSON.stringify(canary), '""')
        bytes = Buffer.from(rest)
      }
      return spellings.flatMap(([name, spelling]) => {
        const at = bytes.indexOf(spelling)
        if (at === -1) return []
        const around = bytes.subarray(Math.max(0, at - CONTEXT), at + spelling.length + CONTEXT)
        return [`${name}: ${JSON.stringify(around.toString('latin1'))}`]
      })
    },
  }
}

/** How a text may be written inside another. */
export function spell(text: string): Record<string, string> {
  const hex = Buffer.from(text).toString('hex')
  // In base64 a text looks different at each of three offsets; what its neighbours decide is left out.
  const base64 = [0, 1, 2].map((offset) => {
    const whole = Buffer.from('x'.repeat(offset) + text).toString('base64')
    return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6))
  })
  return {
    plain: text,
    'upper case': text.toUpperCase(),
    reversed: Array.from(text).toReversed().join(''),
    hex,
    'upper hex': hex.toUpperCase(),
    'hex of hex': Buffer.from(hex).toString('hex'),
    ...Object.fromEntries(base64.map((spelling, offset) => [`base64 at ${offset}`, spelling])),
    'UTF-16': Buffer.from(text, 'utf16le').toString('latin1'),
    bytes: Array.from(Buffer.from(text)).join(','),
    'JSON escapes': Array.from(text)
      .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  }
}
