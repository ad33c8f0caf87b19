/** The longest that a timer of Node's waits. */
const MOST_MS = 2 ** 31 - 1

/** Does something at a time, in milliseconds since the epoch, however far off. */
export function atTime(now: () => number, atMs: number, act: () => void): { cancel: () => void } {
  let timer: NodeJS.Timeout
  const wait = () => {
    const leftMs = atMs - now()
    timer = leftMs <= MOST_MS ? setTimeout(act, leftMs) : setTimeout(wait, MOST_MS)
  }
  wait()
  return { cancel: () => clearTimeout(timer) }
}
