import { mergeLines } from '../../shared/lines.ts'
import { sameRows } from './delegates.ts'
import { changedPaths, type FormValues } from './form.ts'
import { DELEGATES, FIELDS, type Kind } from './table.ts'
import { isObject, isSame, parseText, textOf } from './text.ts'

export type Choice = 'mine' | 'theirs'

/** What becomes of a field that one or both have changed. ask: both did, and only a person can choose. */
export interface MergedField {
  path: string
  label: string
  kind: Kind | 'delegates'
  outcome: Choice | 'both' | 'ask'
  base: string
  mine: string
  theirs: string
  /** With outcome both. */
  merged?: string
}

/** Three-way comparison of each field. Fields that both changed alike need nothing and are left out. */
export function mergeForms(base: FormValues, mine: FormValues, theirs: FormValues): MergedField[] {
  const ours = changedPaths(base, mine)
  const others = changedPaths(base, theirs)
  const merged = FIELDS.flatMap(({ path, label, kind }): MergedField[] => {
    if (!ours.includes(path) && !others.includes(path)) return []
    const [b = '', m = '', t = ''] = [base, mine, theirs].map(({ fields }) => fields[path] ?? '')
    const row = { path, label, kind, base: b, mine: m, theirs: t }
    if (!others.includes(path)) return [{ ...row, outcome: 'mine' }]
    if (!ours.includes(path)) return [{ ...row, outcome: 'theirs' }]
    if (m === t) return []
    const both = mergeText(kind, b, m, t)
    return [both === undefined ? { ...row, outcome: 'ask' } : { ...row, outcome: 'both', merged: both }]
  })
  return [...merged, ...mergeDelegates(base, mine, theirs)]
}

function mergeText(kind: Kind, base: string, mine: string, theirs: string): string | undefined {
  if (kind === 'prompt' || kind === 'code' || kind === 'lines' || kind === 'urls') {
    return mergeLines(base, mine, theirs)
  }
  return kind === 'json' || kind === 'rest' ? mergeObjects(base, mine, theirs) : undefined
}

/** By member: merged lines of JSON could lack a comma. */
function mergeObjects(base: string, mine: string, theirs: string): string | undefined {
  const [b, m, t] = [base, mine, theirs].map((text) => {
    const parsed = parseText({ kind: 'json' }, text)
    return 'value' in parsed ? (parsed.value ?? {}) : undefined
  })
  if (!isObject(b) || !isObject(m) || !isObject(t)) return undefined
  const merged: Record<string, unknown> = { ...t }
  for (const name of new Set([...Object.keys(b), ...Object.keys(m)])) {
    if (isSame(m[name], b[name])) continue
    if (!isSame(t[name], b[name]) && !isSame(t[name], m[name])) return undefined
    if (Object.hasOwn(m, name)) merged[name] = m[name]
    else delete merged[name]
  }
  return Object.keys(merged).length === 0 ? '' : textOf('json', merged)
}

function mergeDelegates(base: FormValues, mine: FormValues, theirs: FormValues): MergedField[] {
  const isMine = !sameRows(base.delegates, mine.delegates)
  const isTheirs = !sameRows(base.delegates, theirs.delegates)
  if ((!isMine && !isTheirs) || (isMine && isTheirs && sameRows(mine.delegates, theirs.delegates))) return []
  const [b = '', m = '', t = ''] = [base, mine, theirs].map(({ delegates }) =>
    delegates.map(({ name, url, agent_id: id }) => name || url || id || 'unnamed').join(', '),
  )
  const outcome = isMine && isTheirs ? 'ask' : isMine ? 'mine' : 'theirs'
  return [
    { path: DELEGATES.name, label: DELEGATES.label, kind: 'delegates', outcome, base: b, mine: m, theirs: t },
  ]
}

/** The form after the merge: what nobody here touched is theirs. */
export function applyMerge(
  rows: readonly MergedField[],
  mine: FormValues,
  theirs: FormValues,
  choices: Readonly<Record<string, Choice>>,
): FormValues {
  const fields = { ...theirs.fields }
  let { delegates } = theirs
  for (const row of rows) {
    const outcome = row.outcome === 'ask' ? (choices[row.path] ?? 'mine') : row.outcome
    if (row.kind === 'delegates') delegates = outcome === 'mine' ? mine.delegates : delegates
    else if (outcome === 'both') fields[row.path] = row.merged ?? ''
    else if (outcome === 'mine') fields[row.path] = row.mine
  }
  return { fields, delegates }
}
