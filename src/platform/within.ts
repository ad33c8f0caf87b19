/** What a promise answers, or something else where that takes too long. It goes on all the same. */
export async function within<T, Otherwise>(
  ms: number,
  work: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Otherwise>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
