import * as fc from 'fast-check'

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength, maxLength })

/** JSON number literals in every spelling: long, short, with and without point and exponent. */
export const numberLiteral = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.tuple(fc.constantFrom(...'123456789'.split('')), digits(0, 25)).map((parts) => parts.join('')),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digits(1, 25).map((text) => `.${text}`),
    ),
    exponent: fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: exponent(-30, 30) },
      { weight: 1, arbitrary: exponent(-400, 400) },
    ),
  })
  .map(({ sign, whole, fraction, exponent: power }) => `${sign}${whole}${fraction}${power}`)

function exponent(min: number, max: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('e', 'E'), fc.integer({ min, max }), fc.boolean())
    .map(([letter, power, plus]) => `${letter}${plus && power >= 0 ? '+' : ''}${power}`)
}

/** A double as JavaScript writes it, in another spelling of the same value. */
export const respelledDouble = fc
  .tuple(
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.nat({ max: 4 }),
    fc.constantFrom('', 'e0', 'E+00'),
  )
  .map(([value, zeros, power]) => {
    const shortest = JSON.stringify(value)
    if (shortest.includes('e')) return shortest.replace('e', 'E')
    return `${shortest}${shortest.includes('.') ? '' : '.0'}${'0'.repeat(zeros)}${power}`
  })
