import { createHash } from 'node:crypto'
import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../contract/agent.ts'
import { EVALUATION_STATES } from '../../contract/agent-filters.ts'

/** The encoding of the table `agent_filters`; the function `filter_row` of the database writes it. */

/** The fields that have few values, by the names of their filters. Each value has a bit of `flags`; these are the first ones. */
export const FLAG_FIELDS = {
  statuses: { values: AGENT_STATUSES, firstBit: 0 },
  trust_stages: { values: TRUST_STAGES, firstBit: 8 },
  protection_statuses: { values: PROTECTION_STATUSES, firstBit: 14 },
  access_levels: { values: ACCESS_LEVELS, firstBit: 17 },
  protocols: { values: PROTOCOLS, firstBit: 20 },
  evaluation: { values: EVALUATION_STATES, firstBit: 22 },
} as const satisfies Record<string, { values: readonly string[]; firstBit: number }>

export type FlagField = keyof typeof FLAG_FIELDS
export const FLAG_FIELD_NAMES = Object.keys(FLAG_FIELDS) as FlagField[]

/** The bits of the values of a field that are not among these. */
export function excludedFlags(field: FlagField, chosen: readonly string[]): number {
  const { values, firstBit } = FLAG_FIELDS[field]
  return values.reduce((bits, value, n) => (chosen.includes(value) ? bits : bits | (1 << (firstBit + n))), 0)
}

/** The fields whose values are texts, and that `facts` contains. */
export type FactField = 'model' | 'tag'

export const KEY_BYTES = 6

/** A value of such a field as the table contains it. */
export function filterKey(field: FactField | 'hub', value: string): string {
  return createHash('sha256').update(`${field}:${value}`).digest().subarray(0, KEY_BYTES).toString('base64')
}
