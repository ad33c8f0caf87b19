/** Fifteen digits always survive a double; only longer literals and exponents need a closer look. */
const ALWAYS_EXACT = /^-?[\d.]{1,15}$/

/** Whether a JSON number literal keeps its value through a double and back. */
export function isExactNumber(literal: string): boolean {
  if (ALWAYS_EXACT.test(literal)) return true
  const value = Number(literal)
  return Number.isFinite(value) && significand(literal) === significand(String(value))
}

/** Digits and exponent without the freedom of spelling: `1.50e1`, `15` and `0.015e3` agree. */
function significand(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal
    .toLowerCase()
    .replace('-', '')
    .split(/e(?=[+-]?\d)/)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const trimmed = trimEndZeros(digits)
  if (trimmed === '') return '0'
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

/** A regular expression such as /0+$/ is quadratic on long runs of inner zeros. */
function trimEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
