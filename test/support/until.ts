/** Waits for what must come to pass, and says what did not. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It did not come to pass that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
