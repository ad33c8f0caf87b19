import { oneLine } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { cut, widthOf } from '../output/width.ts'
import { changedMembers } from './changed-members.ts'
import type { PlannedChange } from './plan-types.ts'
import { diffWords } from './word-diff.ts'

const INDENT = '      '
const MAX_LINES = 20
/** Where there is no terminal. */
const DEFAULT_WIDTH = 120

/** The lines of the changes of an agent: short values beside each other, long texts word by word, and objects by member. */
export function renderChanges(changes: readonly PlannedChange[], isNew: boolean, style: Style): string[] {
  const shown = isNew ? [...changes] : changes.flatMap(changedMembers)
  const nameWidth = Math.max(0, ...shown.map(({ field }) => widthOf(field)))
  return shown.flatMap((change) => renderChange(change, nameWidth, isNew, style))
}

function renderChange(change: PlannedChange, nameWidth: number, isNew: boolean, style: Style): string[] {
  const { field, old, new: value, drifted } = change
  const { paint, columns = DEFAULT_WIDTH } = style
  const mark = `  ${drifted ? paint('!', 'yellow') : ' '} `
  const name = `${mark}${paint(oneLine(field), 'cyan')}`
  const padding = ' '.repeat(nameWidth - widthOf(field) + 2)
  const room = Math.max(20, columns - nameWidth - INDENT.length)
  const [before, after] = [showValue(old), showValue(value)]
  if (isNew || old === null || old === undefined) {
    return [`${name}${padding}${paint(cut(oneLine(after), room), 'green')}`, ...who(change, style)]
  }
  const isShort = !`${before}${after}`.includes('\n') && widthOf(before) + widthOf(after) + 3 <= room
  if (isShort) {
    const arrow = `${paint(oneLine(before), 'red')} → ${paint(oneLine(after), 'green')}`
    return [`${name}${padding}${arrow}`, ...who(change, style)]
  }
  const lines = diffWords(before, after, Math.max(40, columns - INDENT.length), style)
  const more = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : []
  const text = [...lines.slice(0, MAX_LINES), ...more].map((line) => `${INDENT}${line}`.trimEnd())
  return [name, ...text, ...who(change, style)]
}

function who({ changed_by: by, changed_at: at }: PlannedChange, { paint, time }: Style): string[] {
  if (by === null) return []
  return [paint(`${INDENT}changed by ${oneLine(by)}${at === null ? '' : `, ${time(at)}`}`, 'dim')]
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
