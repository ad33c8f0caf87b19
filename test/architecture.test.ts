import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'

/** What each part of src may import, besides itself. Imports point down. */
const MAY_IMPORT: Record<string, string[]> = {
  platform: ['api'],
  api: ['platform'],
  http: ['api', 'platform'],
  config: ['api', 'platform', 'http'],
  core: ['api', 'platform', 'http', 'config'],
  agent: ['api', 'platform', 'http', 'config', 'core'],
  features: ['api', 'platform', 'http', 'config', 'core', 'agent'],
  app: ['api', 'platform', 'http', 'config', 'core', 'agent', 'features'],
  main: ['api', 'platform', 'http', 'config', 'core', 'app', 'features'],
  relay: ['api', 'platform', 'http', 'config', 'core', 'features'],
}

const MAX_LINES = 350
const MAX_COLUMNS = 120
const MEDIAN_LINES = { least: 90, most: 180 }

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.ts', { cwd: root })
const importsOf = new Map(files.map((file) => [file, readImports(file)]))

describe('the parts of src', () => {
  it('has a rule for each of them', () => {
    const parts = new Set(files.map(partOf))
    assert.deepEqual([...parts].toSorted(), Object.keys(MAY_IMPORT).toSorted())
  })

  it('imports only downwards', () => {
    const upward = [...importsOf].flatMap(([file, imports]) =>
      imports
        .filter((imported) => !mayImport(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    )
    assert.deepEqual(upward, [])
  })

  it('has no cycles', () => {
    const done = new Set<string>()
    const visit = (file: string, trail: string[]): string[] => {
      if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' -> ')]
      if (done.has(file)) return []
      const cycles = (importsOf.get(file) ?? []).flatMap((imported) => visit(imported, [...trail, file]))
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
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
      .toSorted((a, b) => a.lines - b.lines)
    assert.deepEqual(
      sizes.filter(({ lines }) => lines > MAX_LINES),
      [],
    )
    const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0
    assert.ok(median >= MEDIAN_LINES.least && median <= MEDIAN_LINES.most, `the median is ${median} lines`)
  })

  it(`has lines of at most ${MAX_COLUMNS} characters, comments and texts included`, () => {
    const long = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > MAX_COLUMNS ? `${file}:${index + 1}` : [])),
    )
    assert.deepEqual(long, [], `Shorten the sentence first, then break the line:\n${long.join('\n')}`)
  })

  it('has a list of features in app.ts that fits a screen', () => {
    assert.ok(readFileSync(join(root, 'src/app.ts'), 'utf8').split('\n').length <= 81)
  })

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
    assert.deepEqual(readers.toSorted(), ['src/main.ts', 'src/relay.ts'])
  })

  it('is tested from outside by suites that do not look inside', () => {
    const insiders = globSync('test/acceptance/**/*.ts', { cwd: root }).flatMap((file) =>
      readImports(file).filter((imported) => imported.startsWith('src/')),
    )
    assert.deepEqual(insiders, [])
  })

  it('runs on a supported Node', () => {
    assert.ok(Number(process.versions.node.split('.')[0]) >= 24, process.version)
  })
})

/** A feature sees another one only by its `feature.ts`. */
function mayImport(file: string, imported: string): boolean {
  const [part, importedPart] = [partOf(file), partOf(imported)]
  if (part !== importedPart) return MAY_IMPORT[part]?.includes(importedPart) === true
  return part !== 'features' || featureOf(file) === featureOf(imported) || imported.endsWith('/feature.ts')
}

/** `src/http/server.ts` belongs to `http`, `src/app.ts` to `app`. */
function partOf(file: string): string {
  const [, part = ''] = file.split('/')
  return part.replace(/\.ts$/, '')
}

/** `src/features/list/queries.ts` belongs to `list`. */
function featureOf(file: string): string | undefined {
  return file.split('/')[2]
}

/** The project's own files that a file imports, types included: a cycle of types is a cycle too. */
function readImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, join(root, dirname(file), path)),
  )
}
