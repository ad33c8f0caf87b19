import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT } from './copy.ts'
import { MUTANTS } from './mutants.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('the planted bugs', () => {
  it('are at least twenty, each with a name of its own', () => {
    assert.ok(MUTANTS.length >= 20)
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
  })

  for (const { name, file, find, replace, test } of MUTANTS) {
    it(`can still be planted, and have their test: ${name}`, () => {
      assert.equal(read(file).split(find).length, 2, `${file} has exactly one place for it`)
      assert.notEqual(find, replace)
      // Code that cannot be read would be no bug that a test finds.
      const mutated = read(file).replace(find, () => replace)
      if (file.endsWith('.ts')) stripTypeScriptTypes(mutated)
      // `npm run mutants` finds out whether the test has this name.
      assert.ok(existsSync(join(ROOT, test[0])), test[0])
    })
  }
})
