import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { PERMISSIONS } from '../src/api/caller.ts'
import { PROBLEMS } from '../src/api/problem-codes.ts'
import { findByName } from './by-name.ts'
import { knownMetrics } from './deploy/expressions.ts'
import { knownVariables } from './support/configuration.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const names = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
]

/** The first column of every table row that starts with a name in code quotes. */
const rows = (text: string, pattern: RegExp) =>
  names(text, new RegExp(`^\\| (?:\\d{3} )?\`(${pattern.source})\` \\|`, 'gm'))

describe('docs/operating.md', () => {
  const operating = read('docs/operating.md')

  it('lists exactly the environment variables that the configuration reads', () => {
    assert.deepEqual(rows(operating, /[A-Z_]+/).toSorted(), knownVariables().toSorted())
  })

  it('lists exactly the permissions', () => {
    assert.deepEqual(rows(operating, /[a-z]+:[a-z]+/), PERMISSIONS)
  })

  it('lists every error with its status', () => {
    for (const [code, { status }] of Object.entries(PROBLEMS)) {
      assert.ok(operating.includes(`${status} \`${code}\``), code)
    }
  })
})

describe('the documents', () => {
  const texts = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((file) => [file, read(file)] as const)

  it('list every metric, and no other', () => {
    const known = [...knownMetrics().keys()].filter((name) => name.startsWith('console_'))
    const listed = texts.flatMap(([, text]) => rows(text, /console_\w+/))
    assert.deepEqual(listed.toSorted(), known.toSorted())
  })

  it('explain every dependency', () => {
    const page = read('docs/dependencies.md')
    const packages = ['', 'sdk/', 'cli/', 'web/', 'tools/codegen/'].flatMap((folder) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
        read(`${folder}package.json`),
      ) as Record<string, object>
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    })
    const missing = packages.filter((name) => !page.includes(name))
    assert.deepEqual(missing, [])
  })

  it('name only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const missing = texts.flatMap(([file, text]) =>
      names(text, /npm run ([\w:-]+)/g)
        // A name in upper case is a placeholder, as in `npm run proof -- NAME --long`.
        .filter((name) => !/[A-Z]/.test(name) && !Object.hasOwn(scripts, name))
        .map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(missing, [])
  })

  it('list every proof and measurement, and no other', () => {
    const [, section = ''] = read('docs/testing.md').split('\n## Proofs and measurements\n')
    const [proofs = '', measurements = ''] = section.split('| measurement |')
    const listed = (table: string) =>
      names(table, /^\| (`.*) \|/gm).flatMap((row) => names(row.split(' | ')[0] ?? '', /`([a-z-]+)`/g))
    assert.deepEqual(listed(proofs).toSorted(), [...findByName('proof').keys()].toSorted())
    assert.deepEqual(
      listed(measurements.split('`npm run bench')[0] ?? '').toSorted(),
      [...findByName('measure').keys()].toSorted(),
    )
  })

  it('link to pages and headings that exist', () => {
    const broken = texts.flatMap(([file, text]) =>
      names(text, /\]\((?!https?:)([^)\s]+)\)/g)
        .filter((link) => {
          const [path = '', anchor] = link.split('#')
          const target = join(root, file, '..', path)
          if (path.endsWith('/')) return globSync(target).length === 0
          const found = texts.find(([name]) => join(root, name) === target)
          if (!found) return globSync(target).length === 0
          return anchor !== undefined && !headings(found[1]).includes(anchor)
        })
        .map((link) => `${file}: ${link}`),
    )
    assert.deepEqual(broken, [])
  })
})

/** The anchors of a page, as GitHub makes them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
