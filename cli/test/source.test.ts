import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'

const CLI = join(import.meta.dirname, '..')
const { devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(CLI, 'package.json'), 'utf8'),
) as Record<string, object>
const PACKAGES = Object.keys({ ...devDependencies, ...optionalDependencies })

describe('the source of the command line', () => {
  const imports = globSync('src/**/*.ts', { cwd: CLI }).flatMap((file) => {
    const text = readFileSync(join(CLI, file), 'utf8')
    return [...text.matchAll(/(?:from|import) ?\(?'([^'\s]+)'/g)].map(([, specifier = '']) => ({
      file,
      specifier,
    }))
  })

  it('sees the server through the SDK only', () => {
    for (const { file, specifier } of imports) {
      if (specifier.startsWith('.')) {
        const target = relative(join(CLI, 'src'), join(CLI, dirname(file), specifier))
        assert.ok(!target.startsWith('..'), `${file} imports ${specifier}`)
      } else {
        assert.ok(
          specifier.startsWith('node:') || PACKAGES.includes(specifier),
          `${file} imports ${specifier}`,
        )
      }
    }
  })

  it('touches the process in one place, so that tests need no other', () => {
    const users = globSync('src/**/*.ts', { cwd: CLI }).filter((file) =>
      /process\.(?:env|std(?:in|out|err)|exit)\b/.test(readFileSync(join(CLI, file), 'utf8')),
    )
    assert.deepEqual(users.toSorted(), ['src/main.ts', 'src/process.ts'])
  })
})
