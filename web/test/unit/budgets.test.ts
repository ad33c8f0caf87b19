import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const DIST = join(import.meta.dirname, '../../dist')
const NOT_BUILT = existsSync(join(DIST, '.vite/manifest.json')) ? false : 'run npm run build:web first'
const KIB = 1024

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
  isDynamicEntry?: boolean
}

function readManifest(): Record<string, Chunk> {
  return JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
}

describe('what a browser loads, compressed', { skip: NOT_BUILT }, () => {
  const chunks = NOT_BUILT ? {} : readManifest()

  /** The chunk and all that it needs at once. */
  function closure(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found
    found.add(name)
    for (const each of chunks[name]?.imports ?? []) closure(each, found)
    return found
  }

  const sizeOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + statSync(join(DIST, `${chunks[name]?.file}.gz`)).size, 0)

  const entry = closure('index.html')
  const fleet = entry.union(closure('src/app.tsx')).union(closure('src/fleet/page.tsx'))
  const agent = closure('src/agent/page.tsx').union(closure('src/agent/overview/page.tsx'))

  for (const [what, names, limit] of [
    ['before sign-in', entry, 25],
    ['the fleet page', fleet, 200],
    ['the agent page, more than the fleet page', agent.difference(fleet), 40],
  ] as const) {
    it(`needs at most ${limit} KiB of script for ${what}`, () => {
      const size = sizeOf(names)
      assert.ok(size <= limit * KIB, `${(size / KIB).toFixed(1)} KiB`)
    })
  }

  it('has no lazy part of more than 95 KiB', () => {
    const large = Object.keys(chunks)
      .filter((name) => chunks[name]?.isDynamicEntry === true && name !== 'src/app.tsx')
      .map((name) => [name, sizeOf(closure(name).difference(fleet))] as const)
      .filter(([, size]) => size > 95 * KIB)
    assert.deepEqual(large, [])
  })

  it('needs at most 12 KiB of style for any page', () => {
    const styleOf = (names: Set<string>): number =>
      [...new Set([...names].flatMap((name) => chunks[name]?.css ?? []))].reduce(
        (sum, path) => sum + statSync(join(DIST, `${path}.gz`)).size,
        0,
      )
    const large = Object.keys(chunks)
      .filter((name) => chunks[name]?.isDynamicEntry === true)
      .map((name) => [name, styleOf(closure(name).union(entry))] as const)
      .filter(([, size]) => size > 12 * KIB)
    assert.deepEqual(large, [])
  })

  it('has no inline script and compiles no code at run time', () => {
    assert.doesNotMatch(readFileSync(join(DIST, 'index.html'), 'utf8'), /<script(?![^>]*\ssrc=)[^>]*>|style=/)
    for (const path of globSync('assets/*.js', { cwd: DIST })) {
      assert.doesNotMatch(readFileSync(join(DIST, path), 'utf8'), /\beval\(|new Function\(/, path)
    }
  })
})
