/** A normal double keeps every literal of up to 15 digits. */
const SAFE_DIGITS = 15
const SMALLEST_NORMAL_DOUBLE = 2 ** -1022

/** Whether a JSON number literal keeps all its digits when it is parsed as a double. */
export function isExactNumber(literal: string): boolean {
  const isShort = mantissaLength(literal) <= SAFE_DIGITS
  if (isShort && mantissaLength(literal) === literal.length) return true
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  if (isShort && Math.abs(value) >= SMALLEST_NORMAL_DOUBLE) return true
  const formatted = String(value)
  return formatted === literal || haveSameDigits(formatted, literal)
}

/** Whether two notations of about the same value, such as `15` and `1.50e1`, are equal. Comparing digits is
 * enough, because their magnitudes cannot differ. */
function haveSameDigits(a: string, b: string): boolean {
  const [left, right] = [significantDigits(a), significantDigits(b)]
  const length = Math.max(left.length, right.length)
  // Trimming with /0+$/ instead would be quadratic on long runs of inner zeros.
  return left.padEnd(length, '0') === right.padEnd(length, '0')
}

function significantDigits(literal: string): string {
  return literal
    .slice(0, mantissaLength(literal))
    .replace(/^-?[0.]*/, '')
    .replace('.', '')
}

function mantissaLength(literal: string): number {
  const exponent = Math.max(literal.indexOf('e'), literal.indexOf('E'))
  return exponent === -1 ? literal.length : exponent
}
