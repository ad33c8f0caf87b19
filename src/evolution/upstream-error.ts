import type { ValidationError } from '../contract/validation-error.ts'

/** A 4xx of the evolution service, in the form in which the console declares it. */

/** Other services put the sentence for readers into one of these. */
const TEXT_MEMBERS = ['detail', 'message', 'error', 'title']
const MAX_TEXT_LENGTH = 2_000

/** The body of a 422: its own text if it is an HTTPValidationError, else one with a single error. */
export function toValidationErrorText(json: string, loc: ValidationError['loc']): string {
  const value = JSON.parse(json) as unknown
  const { detail } = Object(value) as { detail?: unknown }
  if (Array.isArray(detail) && detail.every(isValidationError)) return json
  const msg = readableText(value, json).slice(0, MAX_TEXT_LENGTH).toWellFormed()
  return JSON.stringify({ detail: [{ loc, msg, type: 'upstream' }] })
}

function isValidationError(item: unknown): boolean {
  const { loc, msg, type } = Object(item) as Record<string, unknown>
  const isLoc = Array.isArray(loc) && loc.every((part) => typeof part === 'string' || Number.isInteger(part))
  return isLoc && typeof msg === 'string' && typeof type === 'string'
}

function readableText(value: unknown, json: string): string {
  if (typeof value === 'string') return value
  const members = Object(value) as Record<string, unknown>
  const texts = TEXT_MEMBERS.map((name) => members[name])
  return (texts.find((text) => typeof text === 'string' && text !== '') as string | undefined) ?? json
}
