import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useMe } from '../../auth/permissions.ts'
import { plural } from '../../shared/format.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { TextDiff } from '../../shared/ui/diff.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import tableStyles from '../../shared/ui/table.module.css'
import { personName } from '../../shared/words.ts'
import { type FormValues, toForm } from '../fields/form.ts'
import { applyMerge, type Choice, type MergedField, mergeForms } from '../fields/merge.ts'
import { useLastRevision } from '../queries.ts'
import styles from './configuration.module.css'
import { ConflictRow } from './conflict-row.tsx'
import type { Editor } from './use-editor.ts'

interface ConflictPanelProps {
  editor: Editor
  theirs: AgentResult
}

/** Mine, theirs and the result for each field; only what both changed asks for a choice. */
export function ConflictPanel({ editor, theirs }: ConflictPanelProps): ReactElement {
  const { base, conflict } = editor
  const [choices, setChoices] = useState<Record<string, Choice>>({})
  const [isComparing, setComparing] = useState(false)
  const mine = useWatch<FormValues>({ control: editor.form.control }) as FormValues
  const others = useMemo(() => toForm(theirs.agent), [theirs])
  const rows = useMemo(() => mergeForms(toForm(base.agent), mine, others), [base, mine, others])
  const asked = rows.filter(({ outcome }) => outcome === 'ask')
  const open = asked.filter(({ path }) => choices[path] === undefined)
  const missing =
    open.length === 0 ? false : `Choose a value for ${open.map(({ label }) => label).join(', ')}`
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  return (
    <section ref={panel} className={styles.conflict} aria-label="Conflict" tabIndex={-1}>
      <header>
        <span className="warn-t">
          <Icon name="alert" />
        </span>
        <div className="grow">
          <Saved theirs={theirs} />
          <p className="t2">
            <Why theirs={theirs} />
            Nothing of yours is lost. {sayAsked(asked.length)}
          </p>
        </div>
        <span className="mono t3 nowrap">
          {conflict === 'refused' ? '412 · ' : ''}r{base.revision} → r{theirs.revision}
        </span>
      </header>
      <div className={styles.rows}>
        <table className={tableStyles.fixed}>
          <thead>
            <tr>
              <th className={tableStyles.w180}>Field</th>
              <th>Mine</th>
              <th>Theirs, r{theirs.revision}</th>
              <th className={tableStyles.w180}>Result</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ConflictRow
                key={row.path}
                row={row}
                choice={choices[row.path]}
                onChoose={(choice) => setChoices((old) => ({ ...old, [row.path]: choice }))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <footer>
        <Button
          variant="primary"
          icon="retry"
          off={missing}
          onClick={() => editor.rebase(applyMerge(rows, mine, others, choices))}
        >
          Rebase my edits on revision {theirs.revision}
        </Button>
        <Button icon="columns" onClick={() => setComparing(true)}>
          Compare side by side
        </Button>
        {missing === false ? null : (
          <span className="off-reason" aria-hidden="true">
            <Icon name="info" size="xs" />
            {missing}
          </span>
        )}
        <span className="sp" />
        <Button variant="quiet" onClick={editor.discard}>
          Discard my changes
        </Button>
      </footer>
      <ConflictComparison
        open={isComparing}
        onClose={() => setComparing(false)}
        rows={rows}
        revision={theirs.revision}
      />
    </section>
  )
}

function sayAsked(count: number): string {
  if (count === 0) return 'No field was changed by both of you.'
  return count === 1
    ? 'One field was changed by both of you: choose which value to keep.'
    : `${plural(count, 'field')} were changed by both of you: choose which values to keep.`
}

function Saved({ theirs }: { theirs: AgentResult }): ReactElement {
  return (
    <h2>
      <Saver theirs={theirs} /> saved revision {theirs.revision} while you were editing
    </h2>
  )
}

/** The name of the person at the start of a sentence, as far as the newest revision is known to be this one. */
export function Saver({ theirs }: { theirs: AgentResult }): ReactElement {
  const me = useMe()
  const last = useLastRevision(theirs.agent.id)
  if (last === undefined || last.revision !== theirs.revision) return <>Another user</>
  if (last.changed_by === me.user_id) return <>You, in another window,</>
  const name = personName(last.changed_by_name, last.changed_by)
  return <>{name.charAt(0).toUpperCase() + name.slice(1)}</>
}

function Why({ theirs }: { theirs: AgentResult }): ReactElement {
  const last = useLastRevision(theirs.agent.id)
  const reason = last?.revision === theirs.revision ? last.reason : null
  return (
    <>
      <RelativeTime at={theirs.agent.updated_at} />
      {reason === null ? '. ' : `, reason “${reason}”. `}
    </>
  )
}

interface ConflictComparisonProps {
  open: boolean
  onClose: () => void
  rows: readonly MergedField[]
  revision: number
}

/** What each side changed, field by field. */
function ConflictComparison({ open, onClose, rows, revision }: ConflictComparisonProps): ReactElement {
  return (
    <Dialog open={open} onClose={onClose} title="My edits and theirs" kind="sheet">
      {rows.map((row) => (
        <section key={row.path} className="col">
          <h3 className="b6">{row.label}</h3>
          <div className={styles.pair}>
            <Side title="Mine" before={row.base} after={row.mine} />
            <Side title={`Theirs, r${revision}`} before={row.base} after={row.theirs} />
          </div>
        </section>
      ))}
    </Dialog>
  )
}

function Side({ title, before, after }: { title: string; before: string; after: string }): ReactElement {
  return (
    <div className={pageStyles.card}>
      <header>
        <span className="sm b5">{title}</span>
      </header>
      {before === after ? (
        <p className={join(pageStyles.inset, 'sm t3')}>Not changed</p>
      ) : (
        <TextDiff before={before} after={after} />
      )}
    </div>
  )
}
