/** The value of a claim. `name` is the name of a claim, a path with dots (`realm_access.roles`) or a JSON pointer
 * (`/realm_access/roles`, RFC 6901). A claim with exactly this name comes first, because names may be URLs. */
export function readClaim(payload: object, name: string): unknown {
  if (Object.hasOwn(payload, name)) return (payload as Members)[name]
  return toSteps(name).reduce<unknown>(readMember, payload)
}

type Members = Record<string, unknown>

function toSteps(name: string): string[] {
  if (!name.startsWith('/')) return name.split('.')
  const steps = name.slice(1).split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Own members of objects only: `constructor` and other inherited names are not claims. */
function readMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? (value as Members)[name] : undefined
}

/** The texts of a claim that is an array, or a text with spaces between them. */
export function readWords(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return readTexts(claim)
}

/** The texts of a claim that is one text or an array. Other members of the array are ignored. */
export function readTexts(claim: unknown): string[] {
  return [claim].flat().flatMap((text) => readText(text) ?? [])
}

/** Null for an empty text and for anything else. */
export function readText(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' ? claim : null
}

const MAX_LABEL_LENGTH = 255

/** Characters that break a line or act on the text around them: with U+202E, a name could be shown as another one. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** A text to show and to store: without control characters, at most 255 characters. */
export function readLabel(claim: unknown): string | null {
  const text = readText(claim)?.toWellFormed().replaceAll(NOT_SHOWN, ' ').trim()
  if (text === undefined) return null
  return Array.from(text).slice(0, MAX_LABEL_LENGTH).join('').trimEnd() || null
}
