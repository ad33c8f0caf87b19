/** One run at a time: whoever asks while it runs gets the next run, and shares it with all who ask meanwhile. */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  const runNext = () => {
    next = undefined
    return run()
  }
  return () => {
    next ??= last = last.then(runNext, runNext)
    return next
  }
}
