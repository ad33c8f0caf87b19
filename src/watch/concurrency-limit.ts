/** Returns a function that runs at most `max` pieces of work at once; the others wait in order. */
export function createConcurrencyLimit(max: number) {
  const queue: (() => void)[] = []
  let running = 0

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running === max) await new Promise<void>((resolve) => queue.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
