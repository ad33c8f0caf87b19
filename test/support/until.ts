/** Waits until a condition holds. Fails with its description when it does not in time: a limit against hanging, generous
 * enough for a busy machine. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 90_000,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms, but this did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
