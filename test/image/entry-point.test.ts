import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { prune } from '../../scripts/prune-image.ts'

const root = join(import.meta.dirname, '../..')

describe('the prune step', () => {
  it('removes what no process reads, and keeps code and licences', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-prune-'))
    const kept = [
      'a/index.js',
      'a/LICENSE.md',
      'a/dist/doc/doc.js',
      '@s/b/dist/test/x.js',
      '@s/b/package.json',
    ]
    const removed = [
      'a/index.d.ts',
      'a/index.js.map',
      'a/README.md',
      'a/test/x.js',
      '@s/b/docs/x.js',
      'a/node_modules/c/tests/x.js',
    ]
    try {
      for (const file of [...kept, ...removed]) {
        const path = join(folder, 'node_modules', file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, 'x')
      }
      const counts = prune(folder).map(({ files: count }) => count)
      assert.deepEqual(counts, [1, 1, 3, 1])
      const left = (file: string) => existsSync(join(folder, 'node_modules', file))
      assert.deepEqual(kept.filter(left), kept)
      assert.deepEqual(removed.filter(left), [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the entry point', () => {
  const start = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'bin/agent-console.ts'), ...args], { env: {}, encoding: 'utf8' })

  it('becomes the process of its command', () => {
    const { status, stderr } = start('serve')
    assert.equal(status, 1)
    assert.match(stderr, /DATABASE_URL is missing/)
  })

  it('lists its commands when it does not know one', () => {
    const { status, stderr } = start('constructor')
    assert.equal(status, 2)
    for (const command of ['serve', 'relay', 'migrate', 'rotate-secrets', 'new-epoch', 'health'])
      assert.match(stderr, new RegExp(command))
  })

  it('reports a server that does not respond', () => {
    const file = join(root, 'bin/agent-console.ts')
    const env = { HOST: '127.0.0.1', PORT: '1' }
    assert.throws(
      () => execFileSync(process.execPath, [file, 'health', 'serve'], { env, stdio: 'pipe' }),
      /127\.0\.0\.1:1\/health/,
    )
  })
})
