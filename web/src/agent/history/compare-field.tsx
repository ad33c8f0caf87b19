import { type ReactElement, useMemo, useState } from 'react'
import { formatUtc } from '../../shared/format.ts'
import { compareLines, countLines } from '../../shared/lines.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { IconButton } from '../../shared/ui/button.tsx'
import diffStyles from '../../shared/ui/diff.module.css'
import { type DiffMode, isShort, TextDiff, textOf, ValueChange } from '../../shared/ui/diff.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { bearsOnBehaviour, fieldLabel } from '../fields/labels.ts'
import type { DiffRow } from './diff-rows.ts'
import styles from './history.module.css'

interface CompareFieldProps {
  row: DiffRow
  mode: DiffMode
}

export function CompareField({ row, mode }: CompareFieldProps): ReactElement {
  const before = valueText(row.path, row.before)
  const after = valueText(row.path, row.after)
  if (row.secret) return <SecretChange path={row.path} before={before} after={after} />
  if (isShort(before, after)) {
    return (
      <section className={diffStyles.field}>
        <header>
          <FieldName path={row.path} />
          <ValueChange before={before} after={after} />
        </header>
      </section>
    )
  }
  return <LongChange path={row.path} before={before ?? ''} after={after ?? ''} mode={mode} />
}

/** Times are seconds in the API. */
function valueText(path: string, value: unknown): string | null {
  return typeof value === 'number' && path.endsWith('_at') ? formatUtc(value) : textOf(value)
}

function FieldName({ path }: { path: string }): ReactElement {
  return (
    <span className={styles.name}>
      <h3 className="b6">{fieldLabel(path)}</h3>
      {bearsOnBehaviour(path) ? <BehaviourMark /> : null}
      <span className="mono t3 cut">{path}</span>
    </span>
  )
}

interface LongChangeProps {
  path: string
  before: string
  after: string
  mode: DiffMode
}

function LongChange({ path, before, after, mode }: LongChangeProps): ReactElement {
  const [open, setOpen] = useState(true)
  const blocks = useMemo(() => compareLines(before, after), [before, after])
  const label = `${open ? 'Close' : 'Open'} ${fieldLabel(path)}`
  return (
    <section className={diffStyles.field}>
      <header>
        <FieldName path={path} />
        <Count sign="+" tone="ok-t" count={countLines(blocks, 'add')} what="added" />
        <Count sign="−" tone="danger-t" count={countLines(blocks, 'del')} what="removed" />
        <IconButton
          icon={open ? 'up' : 'down'}
          label={label}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
      </header>
      {open ? <TextDiff before={before} after={after} mode={mode} /> : null}
    </section>
  )
}

interface CountProps {
  sign: string
  tone: string
  count: number
  what: string
}

function Count({ sign, tone, count, what }: CountProps): ReactElement | null {
  if (count === 0) return null
  return (
    <span className={`${tone} num nowrap`}>
      {sign}
      {count}
      <span className="hid"> lines {what}</span>
    </span>
  )
}

interface SecretChangeProps {
  path: string
  before: string | null
  after: string | null
}

function SecretChange({ path, before, after }: SecretChangeProps): ReactElement {
  const what = before === null ? 'set' : after === null ? 'cleared' : 'replaced'
  return (
    <section className={diffStyles.field}>
      <header className="wrap">
        <FieldName path={path} />
        <span className="mono nowrap">{before ?? 'not set'}</span>
        <Icon name="forward" size="xs" className="t3" />
        <span className="mono nowrap">{after ?? 'not set'}</span>
        <span className="sm t3">{what}; values are never compared</span>
      </header>
    </section>
  )
}
