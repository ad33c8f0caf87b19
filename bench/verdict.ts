/** A rule for the CPU time per request of one contender against another. */
export interface Limit {
  of: string
  against: string
  /** The most CPU time, as a multiple of the other's. */
  costAtMost?: number
  /** The least efficiency: the other's CPU time as a share of this one's. */
  shareAtLeast?: number
}

export interface Compared {
  limit: Limit
  /** CPU time per request as a multiple of the other's, for each round. */
  costs: number[]
}

type Verdict = 'ok' | 'below the floor' | 'above the limit' | 'machine too busy to tell'

/** Prints the ratios and, as the last line, the verdict. Returns the exit code. */
export function judge(compared: Compared[]): number {
  const verdicts = compared.map(({ limit, costs }) => {
    const { of, against, costAtMost, shareAtLeast } = limit
    const isShare = shareAtLeast !== undefined
    const ratios = isShare ? costs.map((cost) => 1 / cost) : costs
    const { low, middle, high } = summarise(ratios)
    const bound = isShare ? `, at least ${shareAtLeast}` : costAtMost ? `, at most ${costAtMost}` : ''
    const what = isShare ? `CPU time of ${against} / ${of}` : `CPU time of ${of} / ${against}`
    const [from, median, to] = [low, middle, high].map((ratio) => ratio.toFixed(middle < 0.1 ? 3 : 2))
    process.stdout.write(`  ${what}: ${median} (95 % confidence: ${from} to ${to}${bound})\n`)
    return verdictOf(limit, costs)
  })
  const isBad = (verdict: Verdict) => verdict === 'below the floor' || verdict === 'above the limit'
  const verdict = verdicts.find(isBad) ?? verdicts.find((one) => one !== 'ok') ?? 'ok'
  process.stdout.write(`verdict: ${verdict}\n`)
  return isBad(verdict) ? 1 : 0
}

function verdictOf({ costAtMost, shareAtLeast }: Limit, costs: number[]): Verdict {
  const most = shareAtLeast === undefined ? (costAtMost ?? Number.POSITIVE_INFINITY) : 1 / shareAtLeast
  const { low, high } = summarise(costs)
  if (high <= most) return 'ok'
  if (low <= most) return 'machine too busy to tell'
  return shareAtLeast === undefined ? 'above the limit' : 'below the floor'
}

/** The median of the rounds, and the interval that holds the true median with a confidence of 95 %: the distance of its
 * ends from the middle is 0.98 times the root of the number of rounds (binomial order statistics). */
function summarise(values: number[]): { low: number; middle: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const distance = 0.98 * Math.sqrt(sorted.length)
  const at = (rank: number) => sorted[Math.max(0, Math.min(sorted.length - 1, rank))] as number
  const centre = sorted.length / 2
  return {
    low: at(Math.floor(centre - distance)),
    middle: at(Math.floor(centre)),
    high: at(Math.ceil(centre + distance) - 1),
  }
}

export function median(values: number[]): number {
  return summarise(values).middle
}
