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
export function isExact(source: string): boolean {
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
