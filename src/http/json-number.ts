/** Fifteen digits survive every double of full precision; only longer literals, and those whose exponent
 * leaves that range, need a closer look. */
const SAFE_DIGITS = 15
const SMALLEST_OF_FULL_PRECISION = 2 ** -1022

/** Whether a JSON number literal keeps its value through a double and back. */
export function isExactNumber(literal: string): boolean {
  const isShort = mantissaLength(literal) <= SAFE_DIGITS
  if (isShort && mantissaLength(literal) === literal.length) return true
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  if (isShort && Math.abs(value) >= SMALLEST_OF_FULL_PRECISION) return true
  const kept = String(value)
  return kept === literal || haveSameDigits(kept, literal)
}

/** Whether two spellings of about the same value, such as `15` and `1.50e1`, are of the very same: their
 * digits say so, since their exponents cannot differ. */
function haveSameDigits(a: string, b: string): boolean {
  const [left, right] = [significantDigits(a), significantDigits(b)]
  const length = Math.max(left.length, right.length)
  // Padded, because trimming with /0+$/ is quadratic on long runs of inner zeros.
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
