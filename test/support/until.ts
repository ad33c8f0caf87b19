/** Between two looks: a twentieth of the time that was waited already, within these limits. Looking takes CPU time from what is
 * waited for. */
const PAUSE_MS = { least: 10, most: 250 }
const PAUSE_SHARE = 1 / 20

/** Waits until a condition holds. Fails with its description when it does not in time: a limit against hanging, generous
 * enough for a busy machine. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 90_000,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms, but this did not happen: ${what}`)
    const pauseMs = Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waitedMs * PAUSE_SHARE))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
