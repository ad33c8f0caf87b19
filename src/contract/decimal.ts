import { Type } from 'typebox'

/** The contract's pattern for a decimal number in text form. The document publishes it; the console never runs it,
 * because it takes cubic time on `'0' × n + 'x'` (33 s for n = 4,000). */
export const DECIMAL_PATTERN = '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$'

/** Accepts the same texts in linear time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

export const DECIMAL_MAX_LENGTH = 64

export function isDecimal(text: string): boolean {
  return text.length <= DECIMAL_MAX_LENGTH && DECIMAL.test(text)
}

export const Decimal = Type.String({
  pattern: DECIMAL_PATTERN,
  description: 'Test score as a decimal number in text form, with every digit that was sent.',
})

/** A client may send a JSON number, or the number in text form. */
export const DecimalInput = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  pattern: DECIMAL_PATTERN,
  maxLength: DECIMAL_MAX_LENGTH,
  description:
    'Test score: a JSON number, or a decimal number in text form of at most 64 characters. The console keeps every digit ' +
    'and returns it in text form.',
})

/** A JSON number literal in plain notation (`1e-7` is `0.0000001`), or null when the result is longer than
 * DECIMAL_MAX_LENGTH. It works on the text, because a double would lose digits. */
export function plainDecimal(literal: string): string | null {
  const [mantissa = '', exponentText] = literal.toLowerCase().split('e')
  const exponent = Number(exponentText ?? 0)
  if (Math.abs(exponent) > DECIMAL_MAX_LENGTH) return null
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const digits = whole + fraction
  const point = whole.length + exponent
  const padded = digits.padStart(digits.length - Math.min(point, 0), '0').padEnd(Math.max(point, 0), '0')
  const at = Math.max(point, 0)
  const plain = `${sign}${padded.slice(0, at) || '0'}${at < padded.length ? `.${padded.slice(at)}` : ''}`
  return isDecimal(plain) ? plain : null
}
