import type { ReactElement } from 'react'
import { plural } from '../../shared/format.ts'
import { compare } from '../../shared/lines.ts'
import badgesStyles from '../../shared/ui/badges.module.css'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon, type IconProps } from '../../shared/ui/icon.tsx'
import { RadioLine } from '../../shared/ui/inputs.tsx'
import { bearsOnBehaviour } from '../fields/labels.ts'
import type { Choice, MergedField } from '../fields/merge.ts'
import { specOf } from '../fields/table.ts'
import styles from './configuration.module.css'

interface ConflictRowProps {
  row: MergedField
  choice: Choice | undefined
  onChoose: (choice: Choice) => void
}

export function ConflictRow({ row, choice, onChoose }: ConflictRowProps): ReactElement {
  const cell = (side: Choice): ReactElement => (
    <Side row={row} side={side} choice={choice} onChoose={onChoose} />
  )
  return (
    <tr>
      <td>
        <span className="b5">{row.label}</span> {bearsOnBehaviour(row.path) ? <BehaviourMark /> : null}
        <br />
        <span className="sm t3">{noteOf(row)}</span>
      </td>
      {cell('mine')}
      {cell('theirs')}
      <td data-label="Result">
        <Result outcome={row.outcome === 'ask' ? choice : row.outcome} />
      </td>
    </tr>
  )
}

function Side({ row, side, choice, onChoose }: ConflictRowProps & { side: Choice }): ReactElement {
  const text = row[side]
  // On a phone the cells stand below each other, without the head of the table.
  const label = side === 'mine' ? 'Mine' : 'Theirs'
  const said = isLong(row) ? (
    <span className="sm t2">{summarise(row.base, text)}</span>
  ) : (
    <ShortValue row={row} text={text} />
  )
  if (row.outcome === 'ask') {
    return (
      <td data-label={label} className={choice === side ? styles.pick : undefined}>
        <RadioLine name={`choice-${row.path}`} checked={choice === side} onChange={() => onChoose(side)}>
          <span className="hid">
            {row.label}, {side}:{' '}
          </span>
          {said}
        </RadioLine>
      </td>
    )
  }
  if (row.outcome !== 'both' && row.outcome !== side) {
    return (
      <td data-label={label} className="t3 sm">
        not changed
      </td>
    )
  }
  return <td data-label={label}>{said}</td>
}

function ShortValue({ row, text }: { row: MergedField; text: string }): ReactElement {
  if (text === '') return <span className="t3">empty</span>
  return <span className={isCode(row) ? 'mono' : undefined}>{shownOf(row, text)}</span>
}

const RESULTS: Record<'mine' | 'theirs' | 'both', { icon: IconProps['name']; word: string; look: string }> = {
  mine: { icon: 'person', word: 'Mine', look: 'bd acc-t b5' },
  theirs: { icon: 'people', word: 'Theirs', look: 'bd' },
  both: { icon: 'check', word: 'Both, merged', look: 'bd' },
}

function Result({ outcome }: { outcome: Choice | 'both' | undefined }): ReactElement {
  if (outcome === undefined) {
    return (
      <span className={join(badgesStyles.badge, 'warn-t')}>
        <Icon name="alert" size="s" />
        Choose
      </span>
    )
  }
  const { icon, word, look } = RESULTS[outcome]
  return (
    <span className={look}>
      <Icon name={icon} size="s" {...(outcome === 'both' ? { className: 'ok-t' } : {})} />
      {word}
    </span>
  )
}

function isLong({ base, mine, theirs, kind }: MergedField): boolean {
  return kind === 'prompt' || [base, mine, theirs].some((text) => text.length > 80 || text.includes('\n'))
}

function noteOf(row: MergedField): string {
  if (row.outcome === 'both') return 'different lines'
  if (isLong(row)) return row.outcome === 'ask' ? 'the same lines' : ''
  if (row.base === '') return 'was empty'
  return isProse(row) ? `was “${row.base}”` : `was ${shownOf(row, row.base)}`
}

const CODE_KINDS: readonly MergedField['kind'][] = [
  'integer',
  'number',
  'decimal',
  'time',
  'urls',
  'code',
  'json',
  'rest',
]

/** Numbers, addresses, ids and code. */
function isCode({ kind, path }: MergedField): boolean {
  return CODE_KINDS.includes(kind) || specOf(path)?.mono === true
}

/** In a sentence, it needs quotation marks. */
function isProse(row: MergedField): boolean {
  return (row.kind === 'text' || row.kind === 'lines') && !isCode(row)
}

function shownOf({ path }: MergedField, text: string): string {
  return specOf(path)?.options?.[text] ?? text
}

/** "2 lines changed", "1 line added at 14" */
function summarise(before: string, after: string): string {
  const pieces = compare(before.split('\n'), after.split('\n'))
  const added = pieces.filter(({ kind }) => kind === 'add').length
  const removed = pieces.filter(({ kind }) => kind === 'del').length
  const first = pieces.findIndex(({ kind }) => kind !== 'same') + 1
  if (added === removed) return added === 0 ? 'not changed' : `${plural(added, 'line')} changed`
  if (removed === 0) return `${plural(added, 'line')} added at ${first}`
  if (added === 0) return `${plural(removed, 'line')} removed at ${first}`
  return `${plural(added, 'line')} added, ${removed} removed`
}
