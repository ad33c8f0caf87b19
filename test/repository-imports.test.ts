import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

/** What the files of each part of the repository may import, beside those of their own part. `architecture.test.ts` has the
 * rules inside `src`, and `web/test/unit/architecture.test.ts` those inside `web/src`. */
const MAY_IMPORT: Record<string, string[]> = {
  src: [],
  bin: ['src'],
  scripts: ['src'],
  dev: ['scripts', 'src'],
  tools: [],
  sdk: [],
  'sdk/test': ['sdk', 'test', 'dev'],
  cli: [],
  'cli/test': ['cli', 'test', 'dev'],
  web: [],
  'web/test': ['web', 'test', 'dev', 'scripts', 'src'],
  test: ['dev', 'scripts', 'src', 'sdk', 'tools'],
  bench: ['test', 'dev', 'scripts', 'src'],
}

const root = join(import.meta.dirname, '..')
const listed = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js', '*.mjs', '*.cjs'], {
  cwd: root,
  encoding: 'utf8',
})
const files = new Set(listed.trim().split('\n'))
const importsOf = new Map([...files].map((file) => [file, readImports(file)]))

describe('the imports of the whole repository', () => {
  it('go only in the directions of the table', () => {
    const wrong = [...importsOf].flatMap(([file, imports]) => {
      const from = partOf(file)
      return imports
        .filter((path) => partOf(path) !== from && !MAY_IMPORT[from]?.includes(partOf(path)))
        .map((path) => `${file} imports ${path}`)
    })
    assert.deepEqual(wrong, [])
  })

  it('have a row in the table for each part, and each row is used', () => {
    const parts = new Set([...files].map(partOf))
    assert.deepEqual([...parts].toSorted(), Object.keys(MAY_IMPORT).toSorted())
    const used = new Set(
      [...importsOf].flatMap(([file, imports]) => imports.map((path) => `${partOf(file)} ${partOf(path)}`)),
    )
    const unused = Object.entries(MAY_IMPORT).flatMap(([from, others]) =>
      others.map((to) => `${from} ${to}`).filter((arrow) => !used.has(arrow)),
    )
    assert.deepEqual(unused, [])
  })

  it('have no circle, also none of types alone', () => {
    assert.deepEqual(findCircles(importsOf), [])
  })
})

/** The first folder, and for tests of a workspace the first two. */
function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return `${first}/${second}` in MAY_IMPORT ? `${first}/${second}` : first
}

/** The files of the repository that a file imports, static and dynamic, types included. */
function readImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"\n]+)['"]/g)]
    .map(([, specifier = '']) => normalize(join(dirname(file), specifier)))
    .filter((path) => files.has(path))
}

function findCircles(graph: Map<string, string[]>): string[] {
  const done = new Set<string>()
  const trail: string[] = []
  const circles: string[] = []
  const visit = (file: string): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
    if (done.has(file) || trail.includes(file)) return
    trail.push(file)
    graph.get(file)?.forEach(visit)
    trail.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return circles
}
