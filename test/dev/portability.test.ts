import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const PRELOAD = join(import.meta.dirname, 'pretend.cjs')

interface Lock {
  packages: Record<string, { os?: string[]; cpu?: string[]; optional?: boolean }>
}

describe('the lock file', () => {
  for (const kind of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']) {
    it(`installs on ${kind}`, async () => {
      // npm's own --os and --cpu prove nothing: it refuses by what `process` reports.
      const { stdout } = await run('npm', ['ci', '--dry-run', '--offline', '--loglevel=error'], {
        cwd: ROOT,
        env: { ...process.env, PRETEND: kind, NODE_OPTIONS: `--require=${PRELOAD}` },
      })
      assert.match(stdout, /^(added|removed|changed|up to date)/m)
    })
  }

  it('has no package for one kind of machine that is not optional', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
    const required = Object.entries(packages).filter(
      ([, { os, cpu, optional }]) => (os !== undefined || cpu !== undefined) && !optional,
    )
    assert.deepEqual(
      required.map(([path]) => path),
      [],
    )
  })
})
