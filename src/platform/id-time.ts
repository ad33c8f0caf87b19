/** Below every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** The time of a UUID version 7, in milliseconds since the epoch. */
export function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

/** A UUID version 7 has 48 bits for its time. */
const MAX_MS = 2 ** 48 - 1

/** The smallest UUID version 7 of a time in milliseconds since the epoch, or of the nearest time that an id can have. */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
