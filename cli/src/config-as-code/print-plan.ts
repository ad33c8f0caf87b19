import { oneLine, severalLines } from '../output/safe-text.ts'
import type { Colour, Style } from '../output/style.ts'
import { pad, widthOf } from '../output/width.ts'
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
  const keyWidth = Math.max(0, ...items.map(({ key }) => widthOf(key)))
  const verbWidth = Math.max(0, ...items.map(({ action }) => action.length))
  const lines = items.flatMap((item) => renderItem(item, keyWidth, verbWidth, style))
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

function renderItem(item: PlanItem, keyWidth: number, verbWidth: number, style: Style): string[] {
  const { key, action, file, changes, secrets, taken, released, reason } = item
  const { paint } = style
  const [sign, colour] = SIGNS[action]
  const where = paint(file ?? 'no file', 'dim')
  const head = `${paint(`${sign} ${pad(action, verbWidth)}`, colour)}  ${paint(pad(key, keyWidth), 'bold')}  ${where}`
  return [
    head,
    ...renderChanges(changes, action === 'create', style),
    ...secrets.map((secret) => renderSecret(secret, action === 'create', style)),
    ...(taken.length > 0 ? [`    ${paint(`the set takes ${taken.join(', ')}`, 'dim')}`] : []),
    ...(released.length > 0
      ? [`    ${paint(`the set lets go of ${released.join(', ')}: the values stay`, 'dim')}`]
      : []),
    ...(reason === null ? [] : indented(reason, style)),
  ]
}

function renderSecret({ field, from, changes }: PlannedSecret, isNew: boolean, { paint }: Style): string {
  const what = changes ? paint(isNew ? 'new' : 'changes', isNew ? 'green' : 'yellow') : 'same'
  return `    ${paint(field, 'cyan')} (from ${oneLine(from)}): ${what}`
}

/** Below a line of an agent. */
export function indented(text: string, { columns = 100 }: Pick<Style, 'columns'>): string[] {
  return severalLines(text)
    .split('\n')
    .flatMap((line) => wrap(line, Math.max(30, columns - 4)))
    .map((line) => `    ${line}`)
}
