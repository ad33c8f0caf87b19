import { type ReactElement, useMemo, useState } from 'react'
import { plural } from '../format.ts'
import { compareLines, type Line, type Piece, pairLines } from '../lines.ts'
import { join } from './class-names.ts'
import styles from './diff.module.css'
import { Icon } from './icon.tsx'

/** Two values that are longer together do not fit beside the label, and are compared line by line. */
const SHORT = 48

/** null: there is no value. Objects are compared as JSON with sorted keys: their order means nothing. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(sorted(value), null, 2)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]))
}

export function isShort(old: string | null, now: string | null): boolean {
  const both = `${old ?? ''}${now ?? ''}`
  return both.length <= SHORT && !both.includes('\n')
}

export function ValueChange({
  before,
  after,
}: {
  before: string | null
  after: string | null
}): ReactElement {
  return (
    <span className="row">
      <Value kind="old" text={before} />
      <Icon name="forward" size="xs" className="t3" />
      <Value kind="new" text={after} />
    </span>
  )
}

function Value({ kind, text }: { kind: 'old' | 'new'; text: string | null }): ReactElement {
  const said = kind === 'old' ? 'before' : 'after'
  return (
    <span className={text === null || text === '' ? styles.empty : styles[kind]}>
      <span className="hid">{said}: </span>
      {text === null ? 'none' : text === '' ? 'empty' : text}
    </span>
  )
}

/** words: changed words are marked; lines: only lines are; side: old and new beside each other. */
export type DiffMode = 'words' | 'lines' | 'side'

interface TextDiffProps {
  before: string
  after: string
  mode?: DiffMode
}

export function TextDiff({ before, after, mode = 'words' }: TextDiffProps): ReactElement {
  const single = !before.includes('\n') && !after.includes('\n')
  const blocks = useMemo(() => compareLines(before, after), [before, after])
  return (
    <div className={join(styles.diff, single && styles.single)}>
      {blocks.map((block, index) =>
        'gap' in block ? (
          <Gap key={index} lines={block.hidden} mode={mode} />
        ) : (
          <Lines key={index} lines={block.lines} mode={mode} />
        ),
      )}
    </div>
  )
}

function Gap({ lines, mode }: { lines: readonly Line[]; mode: DiffMode }): ReactElement {
  const [open, setOpen] = useState(false)
  if (open) return <Lines lines={lines} mode={mode} />
  return (
    <button type="button" className={join(styles.gap, 'focus-in')} onClick={() => setOpen(true)}>
      {plural(lines.length, 'line')} the same · Show
    </button>
  )
}

function Lines({ lines, mode }: { lines: readonly Line[]; mode: DiffMode }): ReactElement {
  if (mode === 'side') {
    return (
      <>
        {pairLines(lines).map(([old, now], index) => (
          <div key={index} className={styles.pair}>
            <DiffLine line={old} words />
            <DiffLine line={now} words />
          </div>
        ))}
      </>
    )
  }
  return (
    <>
      {lines.map((line) => (
        <DiffLine key={`${line.kind}${line.number}`} line={line} words={mode === 'words'} />
      ))}
    </>
  )
}

const SIGNS = { same: ' ', add: '+', del: '−' }
const SAID = { same: '', add: 'added: ', del: 'removed: ' }

function DiffLine({ line, words }: { line: Line | undefined; words: boolean }): ReactElement {
  if (line === undefined) return <div className={join(styles.line, styles.none)} />
  return (
    <div className={join(styles.line, styles[line.kind])}>
      <span className={styles.number}>{line.number}</span>
      <span className={styles.sign} aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <span>
        {line.kind === 'same' ? null : <span className="hid">{SAID[line.kind]}</span>}
        {words
          ? line.pieces.map((piece, index) => <Words key={index} piece={piece} />)
          : line.pieces.map(({ text }) => text).join('')}
      </span>
    </div>
  )
}

function Words({ piece }: { piece: Piece }): ReactElement {
  if (piece.kind === 'add') return <ins>{piece.text}</ins>
  if (piece.kind === 'del') return <del>{piece.text}</del>
  return <>{piece.text}</>
}
