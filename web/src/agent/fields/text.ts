import { isExact, isObject, isSame, parseJson } from './json.ts'
import type { FieldSpec, Kind } from './spec.ts'

export type Parsed = { value: unknown } | { fault: string }

/** The value as the form shows it. Absent values are empty. */
export function textOf(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (kind === 'list') return asList(value).join(', ')
  if (kind === 'urls') return asList(value).join('\n')
  if (kind === 'json' || kind === 'rest') return JSON.stringify(value, null, 2)
  // A text area knows only line feeds.
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : JSON.stringify(value)
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Empty text is null: the field is cleared. */
export function parseText({ kind }: Pick<FieldSpec, 'kind'>, text: string): Parsed {
  const trimmed = text.trim()
  if (kind === 'text' || kind === 'lines' || kind === 'prompt' || kind === 'code') {
    return { value: text === '' ? null : text }
  }
  if (trimmed === '') return { value: null }
  switch (kind) {
    case 'list':
      return { value: parts(text, /[,\n]/) }
    case 'urls':
      return { value: parts(text, /\n/) }
    case 'integer':
    case 'time':
      return Number.isInteger(Number(trimmed))
        ? parseNumber(trimmed)
        : { fault: 'Enter a whole number, such as 60.' }
    case 'number':
      return Number.isFinite(Number(trimmed))
        ? parseNumber(trimmed)
        : { fault: 'Enter a number, such as 0.2.' }
    case 'decimal':
      return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(trimmed)
        ? { value: trimmed }
        : { fault: 'Enter a decimal number, such as 0.87.' }
    case 'switch':
      return { value: trimmed === 'true' }
    case 'json':
    case 'rest':
      return parseObject(text)
    default:
      return { value: trimmed }
  }
}

function parts(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function parseNumber(text: string): Parsed {
  return isExact(text)
    ? { value: Number(text) }
    : { fault: 'The number has more digits than can be stored exactly.' }
}

function parseObject(text: string): Parsed {
  const parsed = parseJson(text)
  if ('fault' in parsed || isObject(parsed.value)) return parsed
  return { fault: 'Enter a JSON object: { "name": "value" }.' }
}

/** Whether the field can show the value so that reading it back gives the same value. */
export function canShow(spec: Pick<FieldSpec, 'kind'>, value: unknown): boolean {
  if (value === null || value === undefined) return true
  const parsed = parseText(spec, textOf(spec.kind, value))
  return 'value' in parsed && isSame(parsed.value, value)
}

/** An edited text gets the line ends that the whole original had. */
export function withLineEnds(original: unknown, edited: unknown): unknown {
  const isWindows = typeof original === 'string' && original.includes('\r\n') && !/(^|[^\r])\n/.test(original)
  return isWindows && typeof edited === 'string' ? edited.replaceAll('\n', '\r\n') : edited
}
