import type { AgentDiff, AgentRevision } from '@agent-console/sdk'
import { PROTECTION, words } from '../../shared/words.ts'
import { bearsOnBehaviour, fieldLabel, fieldOf, GITHUB_TOKEN, isSecret } from '../fields/labels.ts'

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

export interface Warning {
  /** "MCP access goes back to write." */
  title: string
  /** The revision that changed the field last, if it is known. */
  changedBy: AgentRevision | undefined
}

export interface RestoreEffect {
  /** Names of the fields that the restore changes. */
  fields: string[]
  /** How many of them bear on behaviour. */
  behaviour: number
  warnings: Warning[]
}

const MCP_ACCESS = ['read', 'write', 'admin']
const GUARDS = ['unprotected', 'configured', 'guarded']
/** A restore leaves these as they are. */
const KEPT: ReadonlySet<string> = new Set(['trust_stage', 'trusted_at', 'ttt_days', 'latest_evaluation'])

/**
 * What a restore does. `rows` lead from the present (before) to the values of the old revision (after).
 * `revisions` are the loaded ones, newest first.
 */
export function restoreEffect(
  rows: readonly DiffRow[],
  target: number,
  revisions: readonly AgentRevision[],
): RestoreEffect {
  const touched = rows.filter(({ path, secret }) => !secret && !KEPT.has(fieldOf(path)))
  const fields = [...new Set(touched.map(({ path }) => fieldOf(path)))]
  const warnings = touched.flatMap((row) => {
    const title = reopening(row)
    if (title === undefined) return []
    const field = fieldOf(row.path)
    const changedBy = revisions.find((each) => each.revision > target && each.fields.includes(field))
    return [{ title, changedBy }]
  })
  return { fields, behaviour: fields.filter(bearsOnBehaviour).length, warnings }
}

/** A sentence if the change gives the agent more access or less protection. */
function reopening({ path, before, after }: DiffRow): string | undefined {
  const label = fieldLabel(path)
  if (path === 'mcp_config.access_level' && rank(MCP_ACCESS, after) > rank(MCP_ACCESS, before)) {
    return `${label} goes back to ${String(after)}.`
  }
  if (path === 'protection_status' && rank(GUARDS, after) < rank(GUARDS, before)) {
    return `${label} goes back to ${words(PROTECTION, String(after)).toLowerCase()}.`
  }
  if (path === 'guard_config_id' && before !== null && after === null) return 'The agent loses its guard.'
  if (path === 'agent_url' && typeof after === 'string') return `The endpoint goes back to ${after}.`
  if (path === 'status' && before === 'archived') return 'The agent leaves the archive.'
  if (path === 'rate_limit_requests_per_minute' && Number(after) > Number(before)) {
    return `${label} goes back up to ${String(after)} requests per minute.`
  }
  return undefined
}

function rank(order: readonly string[], value: unknown): number {
  return order.indexOf(String(value))
}
