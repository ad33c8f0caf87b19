/** The same seed gives the same numbers on every machine. */
export interface Random {
  /** From 0 to, but not including, 1. */
  next: () => number
  pick: <T>(values: readonly T[]) => T
  /** One of the values, by its weight. */
  weighted: <T extends string>(weights: readonly (readonly [T, number])[]) => T
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    pick: (values) => values[Math.floor(next() * values.length)] as never,
    weighted: (weights) => {
      let left = next() * weights.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [value, weight] of weights) {
        left -= weight
        if (left < 0) return value
      }
      return (weights[0] as (typeof weights)[number])[0]
    },
  }
}
