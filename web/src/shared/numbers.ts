const COUNT = new Intl.NumberFormat('en')
const SCORE = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** 8,214 */
export function formatCount(value: number): string {
  return COUNT.format(value)
}

/** 0.87 */
export function formatScore(value: number): string {
  return SCORE.format(value)
}

/** 22 % */
export function formatShare(part: number, whole: number): string {
  return `${PERCENT.format(whole === 0 ? 0 : (part / whole) * 100)} %`
}

/** "1 agent", "2 agents" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** 640 ms, 1.2 s */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
