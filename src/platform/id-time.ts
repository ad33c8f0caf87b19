/** Below every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** No id is above it. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The time of a UUID version 7, in milliseconds since the epoch. */
export function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

/** A UUID version 7 has 48 bits for its time. */
const MAX_MS = 2 ** 48 - 1

/** The smallest UUID version 7 of a time in milliseconds since the epoch, or of the nearest time that an id can have. */
export function firstIdAt(ms: number): string {
  return format(BigInt(Math.min(Math.max(ms, 0), MAX_MS)) << 80n)
}

/** The smallest UUID above another one, which is not the last. */
export function idAfter(id: string): string {
  return format(BigInt(`0x${id.replaceAll('-', '')}`) + 1n)
}

/** The beginning of a month in UTC, so many months before a time. In milliseconds since the epoch, like the time. */
export function monthStart(ms: number, monthsBefore = 0): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsBefore)
}

function format(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
