import type { AgentDiff } from '@agent-console/sdk'
import { GITHUB_TOKEN, isSecret } from '../records/fields.ts'

type Change = AgentDiff['changes'][number]

/** One line of a comparison: a field, or a member of a field that is an object. */
export interface DiffRow {
  /** `agent_params.temperature` */
  path: string
  before: unknown
  after: unknown
  /** Only masks are known, and equal masks do not mean equal values. */
  secret: boolean
}

/** Members of members are rows, too; below this depth values are compared as a whole. */
const MAX_DEPTH = 3

/** Compares by field, then by member. Objects are taken apart, lists are not: their order means something. */
export function diffRows(changes: readonly Change[]): DiffRow[] {
  return changes.flatMap(({ field, old, new: now }) => {
    const rows = isSecret(field) ? [row(field, old, now)] : membersOf(field, old, now, 1)
    if (rows.length > 0) return rows
    // The console lists a field whose masked values are equal only if the secret in it was replaced.
    const path = field === 'white_box_config' ? GITHUB_TOKEN : field
    return [row(path, read(old, path), read(now, path))]
  })
}

function membersOf(path: string, before: unknown, after: unknown, depth: number): DiffRow[] {
  if (isSecret(path) || depth >= MAX_DEPTH || !isObjectOrNone(before) || !isObjectOrNone(after)) {
    return same(before, after) ? [] : [row(path, before, after)]
  }
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].toSorted()
  if (names.length === 0) return same(before, after) ? [] : [row(path, before, after)]
  return names.flatMap((name) => membersOf(`${path}.${name}`, before?.[name], after?.[name], depth + 1))
}

function row(path: string, before: unknown, after: unknown): DiffRow {
  return { path, before: before ?? null, after: after ?? null, secret: isSecret(path) }
}

function read(value: unknown, path: string): unknown {
  const name = path.split('.')[1]
  return name !== undefined && isObjectOrNone(value) ? value?.[name] : value
}

function isObjectOrNone(value: unknown): value is Record<string, unknown> | null | undefined {
  return value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))
}

/** null and an absent member mean the same: there is no value. */
function same(before: unknown, after: unknown): boolean {
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null)
}
