import type { AgentRevision } from '@agent-console/sdk'
import { PROTECTION, words } from '../../shared/words.ts'
import { bearsOnBehaviour, fieldLabel, fieldOf } from '../records/fields.ts'
import type { DiffRow } from './diff-rows.ts'

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
