import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findChangelogFaults } from './release/changelog.ts'
import { findPackageFaults, PACKAGES, type Package, pack, publishDryRun } from './release/pack.ts'
import { readVersions } from './release/versions.ts'

/**
 * A release without its uploads: versions, packages, programs and `npm publish --dry-run`. `--tag v0.2.0` also checks what must hold
 * when the tag is published.
 */
const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { tag: { type: 'string' } } })
const { version, faults } = await readVersions(root)

if (values.tag !== undefined) {
  if (values.tag !== `v${version}`) faults.push(`The tag is ${values.tag}, the version ${version}`)
  faults.push(...findChangelogFaults(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))
}

const place = await mkdtemp(join(tmpdir(), 'console-release-'))
try {
  for (const name of PACKAGES) {
    const packed = await pack(name, place)
    const found = await findPackageFaults(name, packed)
    faults.push(...found.map((fault) => `The package ${name}: ${fault}`))
    const started = versionOf(name, packed.folder)
    if (started !== version) faults.push(`The package ${name} says that it is ${started}`)
    if (found.length === 0) await publishDryRun(packed)
    const bytes = packed.files.reduce((sum, { size }) => sum + size, 0)
    process.stdout.write(`${name} ${version}: ${packed.files.length} files, ${bytes} bytes\n`)
  }
} finally {
  await rm(place, { recursive: true })
}

if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exitCode = 1
}

/** What the packed program says itself. */
function versionOf(name: Package, folder: string): string {
  const print = `import { VERSION } from ${JSON.stringify(join(folder, 'dist/index.js'))}; console.log(VERSION)`
  const options =
    name === 'cli'
      ? [join(folder, 'dist/agent-console.js'), '--version']
      : ['--input-type=module', '--eval', print]
  return execFileSync(process.execPath, options, { encoding: 'utf8' }).trim()
}
