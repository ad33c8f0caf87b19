import type { FieldSpec, Kind } from './table.ts'

type Parsed = { value: unknown } | { fault: string }

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

/** Equal as JSON: the order of members means nothing. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => isSame(each, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** undefined: it is no JSON, or a number in it has more digits than a double holds and would be changed unnoticed. */
export function parseJson(text: string): { value: unknown } | { fault: string } {
  let inexact: string | undefined
  const check = (_: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number' && context?.source !== undefined && !isExact(context.source)) {
      inexact ??= context.source
    }
    return value
  }
  try {
    const value: unknown = JSON.parse(text, check)
    return inexact === undefined ? { value } : { fault: `${inexact} has too many digits for a number.` }
  } catch (error) {
    return { fault: `This is not valid JSON: ${(error as Error).message}.` }
  }
}

/** Whether a number keeps all its digits. */
function isExact(source: string): boolean {
  return Number.isFinite(Number(source)) && digits(source) === digits(String(Number(source)))
}

/** "1.50e3" and "1500" have the same digits and exponent. */
function digits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim()) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  const kept = all.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - fraction.length + all.length - kept.length}`
}
