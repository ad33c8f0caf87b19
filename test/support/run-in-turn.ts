import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

/** How long a file may take: far more than any takes on a busy machine. Its tests inherit the limit. */
const FILE_TIMEOUT_MS = 600_000

/** Runs test files in this process, one after the other. The suites of a file are subtests of one test, so all that a file has
 * started is closed before the next file begins. */
export function runInTurn(files: readonly string[]): void {
  for (const file of files) {
    test(file, { timeout: FILE_TIMEOUT_MS }, async () => {
      await import(pathToFileURL(resolve(file)).href)
    })
  }
}
