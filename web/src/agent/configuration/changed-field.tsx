import type { ReactElement, ReactNode } from 'react'
import { compare } from '../../shared/lines.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { TextDiff, ValueChange } from '../../shared/ui/diff.tsx'
import { bearsOnBehaviour, specOf } from '../fields/table.ts'
import { textOf } from '../fields/text.ts'
import type { Change } from '../fields/update.ts'

/** Longer pairs, and texts of several lines, are compared line by line. */
const SHORT = 40

/** One field of the comparison, in the words of the form. */
export function ChangedField({ change, note }: { change: Change; note: ReactNode }): ReactElement {
  const spec = specOf(change.path)
  const [before, after] = [change.before, change.after].map((value) => {
    // The list of delegated agents has no field in the table.
    const text = isEmptyList(value) ? '' : textOf(spec?.kind ?? 'json', value)
    return spec?.options?.[text] ?? text
  }) as [string, string]
  const isLines = before.includes('\n') || after.includes('\n')
  const isShort = !isLines && before.length + after.length <= SHORT
  return (
    <section className="dfield">
      <header className="wrap">
        <span className="b6">{change.label}</span>
        {bearsOnBehaviour(change.path) ? <BehaviourMark /> : null}
        {note}
        <span className="sp" />
        {isShort ? <ValueChange before={before || null} after={after || null} /> : null}
        {isLines ? <Counts before={before} after={after} /> : null}
      </header>
      {isShort ? null : <TextDiff before={before} after={after} />}
    </section>
  )
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function Counts({ before, after }: { before: string; after: string }): ReactElement {
  const pieces = compare(before.split('\n'), after.split('\n'))
  const count = (kind: string): number => pieces.filter((piece) => piece.kind === kind).length
  return (
    <span className="row">
      <span className="ok-t num">+{count('add')}</span>
      <span className="danger-t num">−{count('del')}</span>
      <span className="hid">lines</span>
    </span>
  )
}
