import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { isShippable } from '../../../scripts/check-licences.ts'

it('the build lists the licence of every package in it, also of the fonts', () => {
  const list = readFileSync(join(import.meta.dirname, '../../dist/licenses.txt'), 'utf8')
  const packages = list
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, name = '', licence = '', text = ''] = /^(\S+) - \S+ \((.+)\)\n([^]*)$/.exec(section) ?? []
      return { name, licence, text: text.trim() }
    })
  for (const { name, licence, text } of packages) {
    assert.ok(isShippable(licence), `${name}: ${licence}`)
    assert.match(text, /copyright/i, name)
  }
  const names = packages.map(({ name }) => name)
  for (const name of ['react-dom', '@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono'])
    assert.ok(names.includes(name), name)
})
