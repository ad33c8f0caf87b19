import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')
const FEATURES = ['fleet', 'agent', 'lifecycle', 'services', 'audit', 'palette']
/** What every feature may import. They import each other downwards only: api and live know shared, shared knows none. */
const BASE: Record<string, string[]> = {
  shared: ['shared'],
  auth: ['auth', 'shared'],
  api: ['api', 'auth', 'shared'],
  live: ['live', 'api', 'auth', 'shared'],
}

const files = globSync('**/*.{ts,tsx}', { cwd: SRC })

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map(([, path]) => normalize(join(dirname(file), path ?? '')))
}

const partOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : 'root')

function mayImport(from: string, to: string): boolean {
  if (FEATURES.includes(from)) return to === from || to in BASE
  return BASE[from]?.includes(to) ?? true
}

describe('the folders of web/src', () => {
  it('sees the server only through the client', () => {
    const outside = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => path.startsWith('..'))
        .map((path) => `${file} imports ${path}`),
    )
    assert.deepEqual(outside, [])
  })

  it('has features that do not know each other, on parts that know no feature', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => !mayImport(partOf(file), partOf(path)))
        .map((path) => `${file} imports ${path}`),
    )
    assert.deepEqual(wrong, [])
  })
})
