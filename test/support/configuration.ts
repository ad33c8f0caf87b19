import assert from 'node:assert/strict'
import { ConfigInvalid, readConfig } from '../../src/config.ts'

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
