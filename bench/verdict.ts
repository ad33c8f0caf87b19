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

/** Quartiles further apart than this share of the median say nothing about a limit between them. */
const MAX_SPREAD = 0.06
/** Quartiles further apart than this say nothing at all. */
const MAX_USEFUL_SPREAD = 0.15

/** Prints the ratios and, as the last line, the verdict. Returns the exit code. */
export function judge(compared: Compared[]): number {
  const verdicts = compared.map(({ limit, costs }) => {
    const { of, against, costAtMost, shareAtLeast } = limit
    const isShare = shareAtLeast !== undefined
    const ratios = isShare ? costs.map((cost) => 1 / cost) : costs
    const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q).toFixed(2))
    const bound = isShare ? `, at least ${shareAtLeast}` : costAtMost ? `, at most ${costAtMost}` : ''
    const what = isShare ? `CPU time of ${against} / ${of}` : `CPU time of ${of} / ${against}`
    process.stdout.write(`  ${what}: ${middle} (half of the rounds ${low} to ${high}${bound})\n`)
    return verdictOf(limit, costs)
  })
  const isBad = (verdict: Verdict) => verdict === 'below the floor' || verdict === 'above the limit'
  const verdict = verdicts.find(isBad) ?? verdicts.find((one) => one !== 'ok') ?? 'ok'
  process.stdout.write(`verdict: ${verdict}\n`)
  return isBad(verdict) ? 1 : 0
}

function verdictOf({ costAtMost, shareAtLeast }: Limit, costs: number[]): Verdict {
  const most = shareAtLeast === undefined ? (costAtMost ?? Number.POSITIVE_INFINITY) : 1 / shareAtLeast
  const [low = 0, middle = 0, high = 0] = [0.25, 0.5, 0.75].map((q) => quantile(costs, q))
  const spread = (high - low) / middle
  const isBetween = low <= most && most < high
  const hasLimit = Number.isFinite(most)
  if (hasLimit && spread > (isBetween ? MAX_SPREAD : MAX_USEFUL_SPREAD)) return 'machine too busy to tell'
  if (middle <= most) return 'ok'
  return shareAtLeast === undefined ? 'above the limit' : 'below the floor'
}

export function median(values: number[]): number {
  return quantile(values, 0.5)
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}
