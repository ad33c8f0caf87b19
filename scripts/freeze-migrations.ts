import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findChanges, readHashes } from './check-migrations/frozen.ts'
import { readReleased } from './check-migrations/released.ts'

/** Writes the hash of each migration, unless one that a release contains has changed. */
const root = join(import.meta.dirname, '..')
const hashes = readHashes(join(root, 'migrations'))
const released = readReleased(root)
const changed = findChanges(released, hashes).filter((finding) => !finding.includes('is not frozen'))
if (changed.length > 0) {
  process.stderr.write(`A release contains these migrations. Add a new file.\n${changed.join('\n')}\n`)
  process.exitCode = 1
} else {
  const file = join(import.meta.dirname, 'check-migrations/frozen.json')
  writeFileSync(file, `${JSON.stringify(hashes, undefined, 2)}\n`)
}
