/** The longest delay that setTimeout supports. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Calls `action` at a time in milliseconds since the epoch. */
export function scheduleAt(now: () => number, atMs: number, action: () => void): { cancel: () => void } {
  let timer: NodeJS.Timeout
  const wait = () => {
    const leftMs = atMs - now()
    timer = leftMs <= MAX_DELAY_MS ? setTimeout(action, leftMs) : setTimeout(wait, MAX_DELAY_MS)
  }
  wait()
  return { cancel: () => clearTimeout(timer) }
}
