import { canShow, isObject, isSame, parseText, textOf } from './text.ts'

/** One delegated agent as the form shows it. */
export interface DelegateRow {
  /** The agent as it was read, as JSON: parts that were not edited are sent as they came. Empty for a new row. */
  origin: string
  name: string
  agent_id: string
  url: string
  agent_card_url: string
  capabilities: string
  rest: string
}

export type DelegateField = Exclude<keyof DelegateRow, 'origin'>

export const DELEGATE_FIELDS: Record<Exclude<DelegateField, 'rest'>, string> = {
  name: 'Name',
  url: 'Endpoint',
  agent_id: 'Agent id',
  agent_card_url: 'Agent card',
  capabilities: 'Capabilities used',
}

const NAMES = Object.keys(DELEGATE_FIELDS) as Exclude<DelegateField, 'rest'>[]

export const EMPTY_ROW: DelegateRow = {
  origin: '',
  name: '',
  agent_id: '',
  url: '',
  agent_card_url: '',
  capabilities: '',
  rest: '',
}

export function toRow(agent: unknown): DelegateRow {
  const source = isObject(agent) ? agent : {}
  const row = { ...EMPTY_ROW, origin: JSON.stringify(agent) }
  for (const name of NAMES) {
    if (canShow(specOf(name), source[name])) row[name] = textOf(specOf(name).kind, source[name])
  }
  const rest = Object.entries(source).filter(([name, value]) => !isOwn(name) || !canShow(specOf(name), value))
  if (rest.length > 0) row.rest = textOf('rest', Object.fromEntries(rest))
  return row
}

function isOwn(name: string): name is Exclude<DelegateField, 'rest'> {
  return (NAMES as string[]).includes(name)
}

function specOf(name: Exclude<DelegateField, 'rest'>): { kind: 'list' | 'text' } {
  return { kind: name === 'capabilities' ? 'list' : 'text' }
}

export interface RowFault {
  field: DelegateField
  message: string
}

/** The agent that a row stands for. */
export function fromRow(row: DelegateRow): { value: Record<string, unknown>; faults: RowFault[] } {
  const origin: unknown = row.origin === '' ? {} : JSON.parse(row.origin)
  const before = toRow(origin)
  const value = { ...(isObject(origin) ? origin : {}) }
  const faults: RowFault[] = []
  if (row.rest !== before.rest) {
    const parsed = parseText({ kind: 'rest' }, row.rest)
    if ('fault' in parsed) faults.push({ field: 'rest', message: parsed.fault })
    else {
      for (const name of Object.keys(parseRest(before.rest))) delete value[name]
      Object.assign(value, parsed.value)
    }
  }
  for (const name of NAMES) {
    if (row[name] === before[name]) continue
    const parsed = parseText(specOf(name), row[name])
    if ('fault' in parsed) faults.push({ field: name, message: parsed.fault })
    else if (parsed.value === null) delete value[name]
    else value[name] = parsed.value
  }
  return { value, faults }
}

function parseRest(text: string): object {
  const parsed = parseText({ kind: 'rest' }, text)
  return 'value' in parsed ? Object(parsed.value) : {}
}

export function sameRows(a: readonly DelegateRow[], b: readonly DelegateRow[]): boolean {
  return isSame(
    a.map((row) => ({ ...row, origin: '' })),
    b.map((row) => ({ ...row, origin: '' })),
  )
}
