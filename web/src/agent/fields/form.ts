import type { Agent } from '@agent-console/sdk'
import { type DelegateRow, sameRows, toRow } from './delegates.ts'
import { DELEGATES, FIELDS, type FieldSpec, SECRETS, splitPath } from './table.ts'
import { canShow, isObject, textOf } from './text.ts'

/** What the form holds: texts, so that half-typed input is kept as it is. */
export interface FormValues {
  /** By the path of the field. */
  fields: Record<string, string>
  delegates: DelegateRow[]
}

/** What the form reads of an agent, or of what an agent is to be made from. */
export type Source = Partial<Agent>

export function toForm(source: Source): FormValues {
  const fields: Record<string, string> = {}
  for (const spec of FIELDS) fields[spec.path] = textFor(source, spec)
  return { fields, delegates: (source.delegated_agents ?? []).map(toRow) }
}

function textFor(source: Source, spec: FieldSpec): string {
  const { top, member } = splitPath(spec.path)
  const value = (source as Record<string, unknown>)[top]
  if (member === undefined) return textOf(spec.kind, value)
  if (member === '*') {
    const rest = restOf(top, value)
    return Object.keys(rest).length === 0 ? '' : textOf('rest', rest)
  }
  const own = isObject(value) ? value[member] : undefined
  return canShow(spec, own) ? textOf(spec.kind, own) : ''
}

/** Members of an open object that no field shows: unknown ones, and known ones of an unexpected type. */
export function restOf(top: string, value: unknown): Record<string, unknown> {
  if (!isObject(value)) return {}
  const hidden = Object.entries(value).filter(([member, each]) => {
    const path = `${top}/${member}`
    if (SECRETS.includes(path)) return false
    const spec = FIELDS.find((field) => field.path === path)
    return spec === undefined || !canShow(spec, each)
  })
  return Object.fromEntries(hidden)
}

/** Paths of the fields whose text differs. */
export function changedPaths(before: FormValues, after: FormValues): string[] {
  const paths = FIELDS.map(({ path }) => path).filter((path) => before.fields[path] !== after.fields[path])
  return sameRows(before.delegates, after.delegates) ? paths : [...paths, DELEGATES.name]
}
