import type { Client } from 'pg'
import { advice, type Context, ok, problem, type Result } from './finding.ts'

/** Policies of the audit log refuse records that are two minutes old: from there on every change fails. */
const ADVICE_MS = 1_000
const PROBLEM_MS = 30_000

/** The clocks of this machine and of PostgreSQL. */
export async function checkClock(client: Client, { now }: Context): Promise<Result[]> {
  const before = now()
  const { rows } = await client.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  )
  return [
    compareClocks('PostgreSQL', { before, after: now(), theirs: rows[0]?.ms ?? Number.NaN, errorMs: 0 }),
  ]
}

export interface Reading {
  before: number
  after: number
  theirs: number
  /** How exact their time is. */
  errorMs: number
}

export function compareClocks(whose: string, { before, after, theirs, errorMs }: Reading): Result {
  const aheadMs = (before + after) / 2 - theirs
  const isCertain = Math.abs(aheadMs) - (after - before) / 2 - errorMs
  const text = `The clock here is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${whose}.`
  if (isCertain > PROBLEM_MS)
    return problem(
      text,
      'Synchronise both clocks (chronyc tracking): tokens and audit records depend on them.',
    )
  if (isCertain > ADVICE_MS) return advice(text, 'Synchronise both clocks (chronyc tracking).')
  return ok(`the clock agrees with that of ${whose}`)
}
