import { isDeepStrictEqual } from 'node:util'
import type { PlannedChange } from './plan-types.ts'

type Row = Record<string, unknown>

/** The members of an object that differ, each as a change of its own, such as `agent_params.temperature`. */
export function changedMembers(change: PlannedChange): PlannedChange[] {
  const { field, old, new: value } = change
  if (!isObject(old) || !isObject(value)) return [change]
  const names = [...new Set([...Object.keys(old), ...Object.keys(value)])]
  const members = names
    .filter((name) => !isDeepStrictEqual(old[name], value[name]))
    .flatMap((name) =>
      changedMembers({ ...change, field: `${field}.${name}`, old: old[name], new: value[name] }),
    )
  // Who changed the field concerns all of them.
  return members.map((member, index) =>
    index < members.length - 1 ? { ...member, changed_by: null, changed_at: null } : member,
  )
}

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
