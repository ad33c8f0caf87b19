import type { AgentUpdate } from '@agent-console/sdk'
import { fromRow, sameRows } from './delegates.ts'
import { type FormValues, restOf, type Source, toForm } from './form.ts'
import { DELEGATES, FIELDS, type FieldSpec, SECRETS, splitPath } from './table.ts'
import { isObject, isSame, parseText, withLineEnds } from './text.ts'

export interface Fault {
  /** Name of the control: the path of a field, `delegates.0.url`, or undefined where the form has none. */
  name: string | undefined
  label: string
  message: string
}

/** A fault that the form finds by itself. */
export interface FormFault extends Fault {
  /** The saved text and the one that was typed; absent for a delegated agent, whose list is among the changes. */
  texts?: { before: string; after: string }
}

export interface Change {
  path: string
  label: string
  before: unknown
  after: unknown
}

export interface Edit {
  /** The smallest body that makes the change. */
  update: AgentUpdate
  /** The same by field, for the comparison beside the form. */
  changes: Change[]
  faults: FormFault[]
}

/** What the form changes. A field whose text was not touched keeps its value, whatever it is. */
export function toUpdate(original: Source, form: FormValues): Edit {
  const before = toForm(original)
  const values = new Map<string, unknown>(Object.entries(original))
  const after = new Map(values)
  const changes: Change[] = []
  const faults: FormFault[] = []
  for (const spec of inOrder()) {
    const text = form.fields[spec.path] ?? ''
    if (text === before.fields[spec.path]) continue
    const { top, member } = splitPath(spec.path)
    const parsed = parseText(spec, text)
    const fault = 'fault' in parsed ? parsed.fault : check(spec, parsed.value, form)
    if ('fault' in parsed || fault !== undefined) {
      const texts = { before: before.fields[spec.path] ?? '', after: text }
      faults.push({ name: spec.path, label: spec.label, message: fault ?? '', texts })
      continue
    }
    const old = currentOf(spec, values.get(top))
    const value = withLineEnds(old, parsed.value)
    if (isSame(old ?? null, value)) continue
    after.set(top, member === undefined ? value : withMember(top, after.get(top), member, value))
    changes.push({ path: spec.path, label: spec.label, before: old ?? null, after: value })
  }
  if (!sameRows(form.delegates, before.delegates)) {
    const rows = form.delegates.map(fromRow)
    for (const [index, row] of rows.entries()) {
      const label = `Delegated agent ${index + 1}`
      faults.push(
        ...row.faults.map(({ field, message }) => ({ name: `delegates.${index}.${field}`, label, message })),
      )
    }
    const list = rows.map(({ value }) => value)
    after.set(DELEGATES.name, list)
    changes.push({
      path: DELEGATES.name,
      label: DELEGATES.label,
      before: values.get(DELEGATES.name),
      after: list,
    })
  }
  const update = Object.fromEntries([...after].filter(([name, value]) => !isSame(values.get(name), value)))
  return { update, changes: inFormOrder(changes), faults }
}

/** The rest comes first: a member that moves from it to its own field must not be removed again. */
function inOrder(): FieldSpec[] {
  return [...FIELDS.filter(({ kind }) => kind === 'rest'), ...FIELDS.filter(({ kind }) => kind !== 'rest')]
}

function inFormOrder(changes: readonly Change[]): Change[] {
  const order = FIELDS.map(({ path }) => path)
  order.splice(order.indexOf('protection_status'), 0, DELEGATES.name)
  return changes.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path))
}

function currentOf(spec: FieldSpec, top: unknown): unknown {
  const { top: name, member } = splitPath(spec.path)
  if (member === undefined) return top
  if (member !== '*') return isObject(top) ? top[member] : undefined
  const rest = restOf(name, top)
  return Object.keys(rest).length === 0 ? null : rest
}

function withMember(top: string, object: unknown, member: string, value: unknown): Record<string, unknown> {
  const next = { ...(isObject(object) ? object : {}) }
  if (member === '*') {
    for (const name of Object.keys(restOf(top, object))) delete next[name]
    return { ...next, ...Object(value) }
  }
  // Known members are optional: a cleared one is left out.
  if (value === null) delete next[member]
  else next[member] = value
  return next
}

function check(spec: FieldSpec, value: unknown, form: FormValues): string | undefined {
  if (spec.required === true && value === null) return 'Must not be empty.'
  if (spec.kind !== 'rest' || !isObject(value)) return undefined
  const { top } = splitPath(spec.path)
  for (const member of Object.keys(value)) {
    const path = `${top}/${member}`
    if (SECRETS.includes(path)) return `"${member}" is a secret: set it on the secrets tab.`
    const own = FIELDS.find((field) => field.path === path)
    if (own !== undefined && form.fields[path] !== '')
      return `"${member}" is set in the field ${own.label}, too.`
  }
  return undefined
}
