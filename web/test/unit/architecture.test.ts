import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')
const FEATURES = ['fleet', 'agent', 'lifecycle', 'services', 'audit', 'palette']
/** What every feature may import. They import each other downwards only: shared knows none of the others. */
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

const MAX_LINES = 350
const MEDIAN_LINES = { least: 90, most: 180 }

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

  it('has no cycles', () => {
    const done = new Set<string>()
    const visit = (file: string, trail: readonly string[]): string[] => {
      if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' -> ')]
      if (done.has(file) || !/\.tsx?$/.test(file)) return []
      const cycles = importsOf(file).flatMap((imported) => visit(imported, [...trail, file]))
      done.add(file)
      return cycles
    }
    assert.deepEqual(
      files.flatMap((file) => visit(file, [])),
      [],
    )
  })

  it('has files that a person can read at once, and few of them', () => {
    const sizes = files
      .map((file) => ({ file, lines: readFileSync(join(SRC, file), 'utf8').split('\n').length - 1 }))
      .toSorted((a, b) => a.lines - b.lines)
    assert.deepEqual(
      sizes.filter(({ lines }) => lines > MAX_LINES),
      [],
    )
    const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0
    assert.ok(median >= MEDIAN_LINES.least && median <= MEDIAN_LINES.most, `the median is ${median} lines`)
  })
})
