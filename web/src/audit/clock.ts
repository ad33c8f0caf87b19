import { formatIso } from '../shared/time.ts'

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})

/** The audit log is compared with logs of other systems: its times are UTC. */
export function clockUtc(at: number): string {
  return TIME.format(new Date(at * 1000))
}

/** Sunday 15 November, with the year if it is not the current one. */
export function dayUtc(at: number, now: number): string {
  const date = new Date(at * 1000)
  const year = date.getUTCFullYear()
  const day = DAY.format(date)
  return year === new Date(now * 1000).getUTCFullYear() ? day : `${day} ${year}`
}

/** 2026-11-15T10:42, for a field of type datetime-local that is read as UTC. Empty for a year of five digits. */
export function toField(at: number | undefined): string {
  const text = at === undefined ? '' : formatIso(at)
  return /^\d{4}-/.test(text) ? text.slice(0, 16) : ''
}

/** undefined: no time. */
export function fromField(text: string): number | undefined {
  const at = Date.parse(`${text}Z`)
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000)
}
