import type { Config } from '../../src/config/config.ts'

/** `advice` works, but is unwise in production. `skipped` could not be checked, or does not apply. */
export type Level = 'ok' | 'advice' | 'problem' | 'skipped'

export interface Finding {
  /** The name of the check. */
  check: string
  level: Level
  text: string
  /** What to do. */
  fix?: string
}

export type Result = Omit<Finding, 'check'>

export interface Context {
  config: Config
  /** In milliseconds since 1970. */
  now: () => number
}

export const ok = (text: string): Result => ({ level: 'ok', text })
export const skipped = (text: string): Result => ({ level: 'skipped', text })
export const advice = (text: string, fix: string): Result => ({ level: 'advice', text, fix })
export const problem = (text: string, fix: string): Result => ({ level: 'problem', text, fix })

/** What was found, or else that all is well. */
export const orOk = (found: (Result | undefined)[], text: string): Result[] => {
  const results = found.filter((result) => result !== undefined)
  return results.some(({ level }) => level !== 'ok') ? results : [...results, ok(text)]
}
