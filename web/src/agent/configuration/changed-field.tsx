import type { ReactElement } from 'react'
import { compare } from '../../shared/lines.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import diffStyles from '../../shared/ui/diff.module.css'
import { TextDiff, ValueChange } from '../../shared/ui/diff.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { bearsOnBehaviour } from '../fields/labels.ts'
import { specOf } from '../fields/table.ts'
import { textOf } from '../fields/text.ts'
import type { Change, FormFault } from '../fields/update.ts'
import styles from './configuration.module.css'

/** Longer pairs, and texts of several lines, are compared line by line. */
const SHORT = 40

/** One field of the comparison, in the words of the form. `fault` is why the server refused the value. */
export function ChangedField({ change, fault }: { change: Change; fault: string | undefined }): ReactElement {
  const { path, label } = change
  const spec = specOf(path)
  const [before, after] = [change.before, change.after].map((value) =>
    // The list of delegated agents has no field in the table.
    isEmptyList(value) ? '' : textOf(spec?.kind ?? 'json', value),
  ) as [string, string]
  return <Compared path={path} label={label} before={before} after={after} fault={fault} />
}

/** A field whose text has no value: it cannot be saved. */
export function FaultyField({ fault }: { fault: FormFault }): ReactElement {
  const { name = '', label, message, texts } = fault
  if (texts !== undefined) return <Compared path={name} label={label} {...texts} fault={message} />
  return (
    <section className={diffStyles.field}>
      <header>
        <span className="b6">{label}</span>
      </header>
      <FaultLine message={message} />
    </section>
  )
}

interface ComparedProps {
  path: string
  label: string
  before: string
  after: string
  fault: string | undefined
}

function Compared({ path, label, fault, ...texts }: ComparedProps): ReactElement {
  const options = specOf(path)?.options
  const before = options?.[texts.before] ?? texts.before
  const after = options?.[texts.after] ?? texts.after
  const isLines = before.includes('\n') || after.includes('\n')
  const isShort = !isLines && before.length + after.length <= SHORT
  return (
    <section className={diffStyles.field}>
      <header className="wrap">
        <span className="b6">{label}</span>
        {bearsOnBehaviour(path) ? <BehaviourMark /> : null}
        <span className="sp" />
        {isShort ? <ValueChange before={before || null} after={after || null} /> : null}
        {isLines ? <Counts before={before} after={after} /> : null}
      </header>
      {fault === undefined ? null : <FaultLine message={fault} />}
      {isShort ? null : <TextDiff before={before} after={after} />}
    </section>
  )
}

function FaultLine({ message }: { message: string }): ReactElement {
  return (
    <p className={styles.fault}>
      <Icon name="alert" size="s" />
      {message}
    </p>
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
