import { oneLine } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { cut } from '../output/width.ts'
import type { PlannedChange } from './plan-types.ts'
import { diffWords } from './word-diff.ts'

const INDENT = '      '
/** Longer texts are compared word by word. */
const LONG = 60
const MAX_LINES = 20
const DEFAULT_WIDTH = 100

/** The lines of one change of a plan. */
export function renderChange(
  change: PlannedChange,
  nameWidth: number,
  isNew: boolean,
  style: Style,
): string[] {
  const { field, old, new: value, drifted, changed_by: by, changed_at: at } = change
  const { paint, columns = DEFAULT_WIDTH } = style
  const who =
    by === null
      ? ''
      : paint(`  (changed by ${oneLine(by)}${at === null ? '' : `, ${style.time(at)}`})`, 'dim')
  const name = `${drifted ? paint('!', 'yellow') : ' '} ${paint(field, 'cyan')}`
  const [before, after] = [showValue(old), showValue(value)]
  const room = Math.max(20, columns - INDENT.length - nameWidth - 4)
  if (isNew || old === null)
    return [oneLineOf(name, field, nameWidth, paint(cut(oneLine(after), room), 'green'), who)]
  if (!isLong(before) && !isLong(after)) {
    const arrow = `${paint(oneLine(before), 'red')} → ${paint(oneLine(after), 'green')}`
    return [oneLineOf(name, field, nameWidth, arrow, who)]
  }
  const lines = diffWords(before, after, Math.max(40, columns - INDENT.length), style)
  const shown =
    lines.length > MAX_LINES
      ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`]
      : lines
  return [`  ${name}${who}`, ...shown.map((line) => `${INDENT}${line}`.trimEnd())]
}

const oneLineOf = (name: string, field: string, width: number, text: string, more: string) =>
  `  ${name}${' '.repeat(Math.max(0, width - field.length))}  ${text}${more}`.trimEnd()

const isLong = (text: string) => text.length > LONG || text.includes('\n')

function showValue(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
