/** `npm run proof -- NAME --long` and `npm run measure -- NAME --long` set these. */

export const IS_LONG = process.env['TEST_SIZE'] === 'long'

/** How much a test does: little in each run, and all of it by name. A test that calls this can be run as a proof. */
export function sized<Size>(short: Size, long: Size): Size {
  return IS_LONG ? long : short
}

/** What a run generates its input from: `--seed N` repeats a run. */
export function seedOr(seed: number): number {
  return Number(process.env['TEST_SEED'] ?? seed)
}
