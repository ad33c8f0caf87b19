const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Date holds no later time, in seconds. */
const LAST_DATE = 8.64e12

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const CLOCK_SECONDS = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
// Not of Intl: its en-GB has "Sept", which is longer than the others.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** "just now", "4 s ago" to 24 hours, "Sat 17:42" to 7 days, "4 Nov 19:40" within the year, then "3 Mar 2025". */
export function formatSince(at: number, now: number): string {
  if (!isDate(at)) return String(at)
  const age = now - at
  if (age < 1) return 'just now'
  if (age < MINUTE) return `${age} s ago`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  return formatPast(at, now)
}

/** "17:42" on the same day, else "Sat 17:42" and the like: for what began then and lasts. */
export function formatMoment(at: number, now: number): string {
  const isToday = new Date(at * 1000).toDateString() === new Date(now * 1000).toDateString()
  return isToday ? formatClock(at) : formatPast(at, now)
}

function formatPast(at: number, now: number): string {
  const date = new Date(at * 1000)
  if (now - at < 7 * DAY) return `${WEEKDAY.format(date)} ${CLOCK.format(date)}`
  if (date.getFullYear() === new Date(now * 1000).getFullYear()) {
    return `${formatDay(at)} ${CLOCK.format(date)}`
  }
  return formatDate(at)
}

/** "2026-11-15T17:42:07.000Z". The API takes numbers that are no date: they stay numbers. */
export function formatIso(at: number): string {
  return isDate(at) ? new Date(at * 1000).toISOString() : String(at)
}

/** The whole time in UTC, for titles: it can be compared with logs. */
export function formatUtc(at: number): string {
  return isDate(at) ? `${formatIso(at).slice(0, -5).replace('T', ' ')} UTC` : String(at)
}

function isDate(at: number): boolean {
  return Math.abs(at) <= LAST_DATE
}

/** 17:42 */
export function formatClock(at: number): string {
  return CLOCK.format(new Date(at * 1000))
}

/** 17:42:07, for the audit log and activity. */
export function formatClockSeconds(at: number): string {
  return CLOCK_SECONDS.format(new Date(at * 1000))
}

/** 4 Nov 2026 */
export function formatDate(at: number): string {
  if (!isDate(at)) return String(at)
  return `${formatDay(at)} ${new Date(at * 1000).getFullYear()}`
}

/** 4 Nov */
export function formatDay(at: number): string {
  const date = new Date(at * 1000)
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`
}

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
