import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { previousRelease } from './check-breaking.ts'
import { compareDocuments, documentOf } from './release/api-changes.ts'

/**
 * Lists the changes of the API that break clients of a release: `npm run release:breaks -- [FROM_TAG [TO_TAG]]`. Without
 * tags, it compares the newest release with the committed document. Fails if the version does not announce them.
 */
const root = join(import.meta.dirname, '..')
const [from = previousRelease(), to] = process.argv.slice(2)

if (from === undefined) {
  process.stdout.write('There is no release yet: no tag v* to compare with.\n')
} else {
  try {
    const after = to === undefined ? readFile(join(root, 'openapi.json'), 'utf8') : documentOf(to, root)
    const { changes, isAnnounced } = compareDocuments(documentOf(from, root), await after)
    const count = changes.length === 1 ? '1 breaking change' : `${changes.length} breaking changes`
    process.stdout.write(`${[`${from} to ${to ?? 'openapi.json'}: ${count}.`, ...changes].join('\n')}\n`)
    if (changes.length > 0 && !isAnnounced) {
      process.stderr.write('The version does not announce breaking changes: see docs/releasing.md.\n')
      process.exitCode = 1
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
