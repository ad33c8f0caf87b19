import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeReleased } from './check-migrations/released.ts'
import { releaseChangelog } from './release/changelog.ts'
import { parseVersion, writeVersion } from './release/versions.ts'

/** Writes the version of the next release everywhere: `npm run release:version -- 0.2.0`. */
const root = join(import.meta.dirname, '..')
const [version = ''] = process.argv.slice(2)
if (!parseVersion(version)) {
  process.stderr.write('Give the version, such as 0.2.0.\n')
  process.exit(64)
}
const path = join(root, 'CHANGELOG.md')
const today = new Date().toISOString().slice(0, 10)
try {
  // First, because it fails if there is nothing to release.
  const changelog = releaseChangelog(await readFile(path, 'utf8'), version, today)
  await writeVersion(root, version)
  await writeFile(path, changelog)
  writeReleased(join(root, 'migrations'))
  process.stdout.write(`${version} is in every place. Next: npm run release:check\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
