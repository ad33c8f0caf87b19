/** Runs `work` at most once at a time: calls that come meanwhile get the same result. */
export function coalesce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
