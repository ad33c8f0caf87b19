const STEPS: [seconds: number, unit: string][] = [
  [365 * 86_400, 'y'],
  [30 * 86_400, 'mo'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** Such as `5 min ago` or `in 2 h`. */
export function relativeTime(unixSeconds: number, nowMs: number): string {
  const seconds = Math.round(nowMs / 1_000) - unixSeconds
  const distance = Math.abs(seconds)
  const step = STEPS.find(([size]) => distance >= size)
  if (!step) return seconds < 0 ? 'in under a min' : 'just now'
  const text = `${Math.floor(distance / step[0])} ${step[1]}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** RFC 3339, in UTC. */
export function absoluteTime(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1_000)
  // The console takes times that no calendar of JavaScript has.
  return Number.isNaN(date.getTime()) ? String(unixSeconds) : date.toISOString().replace('.000Z', 'Z')
}

/** Such as `09:05:00`, in the time zone of the machine. */
export const timeOfDay = (unixSeconds: number): string =>
  new Date(unixSeconds * 1_000).toTimeString().slice(0, 8)
