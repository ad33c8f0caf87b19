import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { ConfigInvalid } from '../../src/platform/process.ts'

/** The text with which `npm start` refuses an environment. Empty if it does not. */
export function errorsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigInvalid)
    return error.message
  }
  return ''
}

const ROOT = join(import.meta.dirname, '../..')

/** The variables that the configuration reads, as its code names them. */
export function knownVariables(): string[] {
  const files = globSync('src/config{.ts,/*.ts}', { cwd: ROOT })
  const code = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
  const found = [...code.matchAll(/(?:read|readOptional|isSet)\('([A-Z_]+)'/g)].map(([, name = '']) => name)
  return [...new Set(found)]
}
