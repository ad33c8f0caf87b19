/** Decimal numbers by definition, slowly: digits × 10^exponent, with no digit lost and nothing clever. */
export interface ExactDecimal {
  digits: bigint
  exponent: bigint
}

export function exactDecimal(literal: string): ExactDecimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = BigInt(`${whole}${fraction}` || '0')
  return {
    digits: sign === '-' ? -digits : digits,
    exponent: BigInt(exponent) - BigInt(fraction.length),
  }
}

export function isSameValue(a: ExactDecimal, b: ExactDecimal): boolean {
  const least = a.exponent < b.exponent ? a.exponent : b.exponent
  return a.digits * 10n ** (a.exponent - least) === b.digits * 10n ** (b.exponent - least)
}
