import { after } from 'node:test'

const open = new Set<() => unknown>()

/** Closes something after the tests of the calling file or suite. Use it instead of `after` for what a suite starts while it is
 * set up: with --test-name-pattern Node sets up every suite, and skips `after` of those without a match. */
export function closeAfter(close: () => unknown): void {
  open.add(close)
  after(async () => {
    open.delete(close)
    await close()
  })
}

// `after` of the file always runs. Outside of a test run there is none.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(async () => {
    for (const close of [...open].toReversed()) await close()
  })
}
