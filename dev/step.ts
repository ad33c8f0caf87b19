/** Shows what is being done, and how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  if (process.stdout.isTTY) process.stdout.write(`  … ${what}`)
  const clear = process.stdout.isTTY ? '\r\x1b[K' : ''
  try {
    const result = await work()
    process.stdout.write(`${clear}  ✓ ${what} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n`)
    return result
  } catch (error) {
    process.stdout.write(`${clear}  ✗ ${what}\n`)
    throw error
  }
}
