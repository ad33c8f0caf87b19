import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'

it('the page of the helpers names each of them, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const named = [...page.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => basename(file))
  const files = globSync('{*,issuer/*,evolution-service/*}.ts', { cwd: import.meta.dirname })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => basename(file))
  assert.deepEqual(named.toSorted(), files.toSorted())
})
