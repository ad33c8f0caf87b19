import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

const WEB = join(import.meta.dirname, '../..')
/** Classes of the sheets that are loaded on every page. Those of libraries begin with their name. */
const LIBRARIES = /^(?:react-flow|nopan|cm-)/

const read = (file: string): string => readFileSync(join(WEB, file), 'utf8')
const classesIn = (css: string): Set<string> =>
  new Set(
    [...css.replaceAll(/"[^"]*"|\/\*.*?\*\//gs, '').matchAll(/\.(-?[_a-z][\w-]*)/gi)].map(
      (found) => found[1] ?? '',
    ),
  )

const sheets = globSync('{src,gallery}/**/*.module.css', { cwd: WEB })
const sources = globSync('{src,gallery}/**/*.{ts,tsx}', { cwd: WEB })

/** What each source takes from each sheet, such as `src/fleet/fleet.module.css#grid`. */
function usesOf(file: string): string[] {
  const text = read(file)
  const imports = text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)
  return [...imports].flatMap(([, name, path]) => {
    const sheet = normalize(join(dirname(file), path ?? ''))
    return [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map((use) => `${sheet}#${use[1]}`)
  })
}

describe('the class names', () => {
  const uses = new Set(sources.flatMap(usesOf))
  const defined = new Set(
    sheets.flatMap((sheet) => {
      const own = read(sheet).replaceAll(/:global\([^)]*\)/g, '')
      return [...classesIn(own)].map((name) => `${sheet}#${name}`)
    }),
  )

  it('are in the sheet that a component takes them from', () => {
    assert.deepEqual([...uses.difference(defined)], [])
  })

  it('are taken by a component', () => {
    // Looked up by a value: of a stage, of a kind of dialog, of a line.
    const byValue = /#(?:fSt\d|tint\d|c\d|sheet|drawer|full|add|del|old|new|a|b)$/
    assert.deepEqual(
      [...defined.difference(uses)].filter((name) => !byValue.test(name)),
      [],
    )
  })

  it('that sheets share are global ones of base.css', () => {
    const base = classesIn(read('src/shared/styles/base.css'))
    const shared = sheets.flatMap((sheet) =>
      [...read(sheet).matchAll(/:global\(\.([\w-]+)\)/g)].map((found) => found[1] ?? ''),
    )
    assert.deepEqual(
      [...new Set(shared)].filter((name) => !base.has(name) && !LIBRARIES.test(name)),
      [],
    )
  })
})
