/** Resolves to `fallback` if the work takes longer than `ms`. Does not cancel the work. */
export async function withTimeout<T, Fallback>(
  ms: number,
  work: Promise<T>,
  fallback: Fallback,
): Promise<T | Fallback> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
