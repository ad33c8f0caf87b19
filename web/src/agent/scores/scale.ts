export interface Scale {
  floor: number
  top: number
  /** Of the gridlines, from the floor to the top. */
  ticks: number[]
}

export interface Grid {
  /** Shares of the top that a scale may begin at: the gridlines then have round names. */
  floors: readonly number[]
  intervals: number
}

export const MANY_LINES: Grid = { floors: [0.9, 0.75, 0.5, 0], intervals: 5 }
/** For a phone. */
export const FEW_LINES: Grid = { floors: [0.9, 0.8, 0.6, 0], intervals: 2 }

/**
 * One scale for all scores. The evaluation service defines what a score is: usually 0 to 1, or a percentage.
 * The floor is the highest round share that leaves room below the lowest score.
 */
export function scoreScale(values: readonly number[], { floors, intervals }: Grid = MANY_LINES): Scale {
  const highest = Math.max(...values, 0)
  const lowest = values.length === 0 ? 0 : Math.min(...values)
  const top = topFor(highest)
  const floor =
    lowest < 0 ? -topFor(-lowest) : top * (floors.find((share) => lowest >= top * (share + 0.02)) ?? 0)
  const step = (top - floor) / intervals
  return {
    floor,
    top,
    ticks: Array.from({ length: intervals + 1 }, (_, index) => round(floor + index * step)),
  }
}

function topFor(value: number): number {
  let top = 1
  while (top < value) top *= 10
  return top
}

/** 0.1 + 0.2 is not 0.3. */
function round(value: number): number {
  return Number(value.toPrecision(12))
}

/** All names of a scale have as many decimals as the longest needs. */
export function tickName(tick: number, { ticks, top }: Scale): string {
  if (top > 1) return String(tick)
  return tick.toFixed(ticks.some((each) => round(each * 10) % 1 !== 0) ? 2 : 1)
}

/** A linear map from one range to another. */
export function linear(
  from: readonly [number, number],
  to: readonly [number, number],
): (value: number) => number {
  const [low, high] = from
  const width = high - low
  return (value) => (width === 0 ? to[0] : to[0] + ((value - low) / width) * (to[1] - to[0]))
}

/** Times at equal distances, from first to last. */
export function timeTicks(from: number, to: number, count: number): number[] {
  if (count < 2 || to <= from) return [to]
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1))
}
