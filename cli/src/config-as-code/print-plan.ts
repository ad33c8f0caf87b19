import { oneLine, severalLines } from '../output/safe-text.ts'
import type { Colour, Style } from '../output/style.ts'
import { pad, split, widthOf } from '../output/width.ts'
import { wrap } from '../output/wrap.ts'
import { ACTIONS, type Action, type Plan, type PlanItem, type PlannedSecret } from './plan-types.ts'
import { renderChanges } from './print-value.ts'

const SIGNS: Record<Action, [sign: string, colour: Colour, text: string]> = {
  create: ['+', 'green', 'to create'],
  update: ['~', 'yellow', 'to update'],
  drift: ['!', 'magenta', 'to set back'],
  conflict: ['x', 'red', 'in conflict'],
  invalid: ['x', 'red', 'not valid'],
  archive: ['-', 'red', 'to archive'],
  delete: ['-', 'red', 'to delete'],
}

/** A plan for people. */
export function renderPlan(plan: Plan, style: Style): string {
  const { items, unchanged, set, url } = plan
  const layout = layOut(items, style)
  const lines = items.flatMap((item) => renderItem(item, layout, style))
  const same =
    unchanged.length > 0 || items.length === 0 ? [style.paint(`= ${unchanged.length} unchanged`, 'dim')] : []
  const head = style.paint(`${set} on ${url}`, 'bold')
  return [head, '', ...lines, ...same, '', summarise(plan)].join('\n')
}

function summarise({ items }: Pick<Plan, 'items'>): string {
  const parts = ACTIONS.flatMap((action) => {
    const count = items.filter((item) => item.action === action).length
    return count === 0 ? [] : [`${count} ${SIGNS[action][2]}`]
  })
  return parts.length === 0 ? 'Nothing to do: the console has what the files say.' : `${parts.join(', ')}.`
}

const INDENT = '    '
/** A name of a file can have control characters. */
const fileOf = ({ file }: PlanItem) => oneLine(file ?? 'no file')

interface Layout {
  verbWidth: number
  keyWidth: number
  /** For a key and its file. */
  room: number
}

/** The keys are aligned as far as the files fit beside them. */
function layOut(items: readonly PlanItem[], { columns = Number.POSITIVE_INFINITY }: Style): Layout {
  const widest = (texts: string[]) => Math.max(0, ...texts.map(widthOf))
  const verbWidth = widest(items.map(({ action }) => action))
  const room = columns - verbWidth - 6
  const fitting = items.filter((item) => widthOf(item.key) + widthOf(fileOf(item)) <= room)
  const fileWidth = widest(fitting.map(fileOf))
  return { verbWidth, room, keyWidth: Math.min(widest(fitting.map(({ key }) => key)), room - fileWidth) }
}

function renderHead(item: PlanItem, layout: Layout, style: Style): string[] {
  const { paint, columns = Number.POSITIVE_INFINITY } = style
  const { verbWidth, keyWidth, room } = layout
  const { key, action } = item
  const [sign, colour] = SIGNS[action]
  const where = fileOf(item)
  const head = `${paint(`${sign} ${pad(action, verbWidth)}`, colour)}  ${paint(key, 'bold')}`
  const isFitting = widthOf(key) + widthOf(where) <= room
  if (isFitting) return [`${head}${pad('', keyWidth - widthOf(key))}  ${paint(where, 'dim')}`]
  return [head, ...split(where, columns - INDENT.length).map((part) => `${INDENT}${paint(part, 'dim')}`)]
}

function renderItem(item: PlanItem, layout: Layout, style: Style): string[] {
  const { action, changes, secrets, taken, released, reason } = item
  const dim = (text: string) => indented(text, style).map((line) => style.paint(line, 'dim'))
  return [
    ...renderHead(item, layout, style),
    ...renderChanges(changes, action === 'create', style),
    ...secrets.map((secret) => renderSecret(secret, action === 'create', style)),
    ...(taken.length > 0 ? dim(`the set takes ${taken.join(', ')}`) : []),
    ...(released.length > 0 ? dim(`the set releases ${released.join(', ')}: the values stay`) : []),
    ...(reason === null ? [] : indented(reason, style)),
  ]
}

function renderSecret({ field, from, changes }: PlannedSecret, isNew: boolean, { paint }: Style): string {
  const what = changes ? paint(isNew ? 'new' : 'changes', isNew ? 'green' : 'yellow') : 'same'
  return `${INDENT}${paint(field, 'cyan')} (from ${oneLine(from)}): ${what}`
}

/** Below a line of an agent. */
export function indented(text: string, { columns = 100 }: Pick<Style, 'columns'>): string[] {
  return severalLines(text)
    .split('\n')
    .flatMap((line) => wrap(line, Math.max(30, columns - 4)))
    .map((line) => `${INDENT}${line}`)
}
