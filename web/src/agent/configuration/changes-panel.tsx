import type { AgentResult } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { formatScore, plural } from '../../shared/format.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { faultOf } from '../fields/form-context.ts'
import { bearsOnBehaviour } from '../fields/labels.ts'
import { controlId } from '../fields/table.ts'
import type { Change, Edit, Fault } from '../fields/update.ts'
import { ChangedField, FaultyField } from './changed-field.tsx'
import styles from './configuration.module.css'
import { Saver } from './conflict-panel.tsx'
import type { Editor } from './use-editor.ts'

const PANEL = 'changes'

interface ChangesPanelProps {
  editor: Editor
  edit: Edit
}

/** What saving changes, and the buttons that do it. */
export function ChangesPanel({ editor, edit }: ChangesPanelProps): ReactElement {
  const { failure } = editor
  const count = edit.changes.length + edit.faults.length
  return (
    <aside
      className={join(pageStyles.card, styles.changes)}
      id={PANEL}
      tabIndex={-1}
      aria-label="What saving changes"
    >
      <header>
        <h2>What saving changes</h2>
        <span className="sp" />
        <span className="sm t3">{count === 0 ? 'nothing yet' : plural(count, 'field')}</span>
      </header>
      <Offer editor={editor} />
      <div className={styles.changesList}>
        {count === 0 ? (
          <p className={join(pageStyles.inset, 't3')}>
            Edit a field, and the difference to the saved configuration appears here.
          </p>
        ) : null}
        {edit.changes.map((change) => (
          <ChangedField key={change.path} change={change} fault={faultOf(failure.faults, change.path)} />
        ))}
        {edit.faults.map((fault) => (
          <FaultyField key={`${fault.name}${fault.message}`} fault={fault} />
        ))}
      </div>
      <footer className="col">
        <BehaviourNote result={editor.base} changes={edit.changes} />
        {count > 0 && mayGiveReason(editor, edit) ? <Reason editor={editor} /> : null}
        <SaveButtons editor={editor} edit={edit} />
      </footer>
    </aside>
  )
}

/** Another user was faster. Here, beside the form, it moves nothing under the hands of the user. */
function Offer({ editor }: { editor: Editor }): ReactElement | null {
  const { theirs, conflict, review } = editor
  if (theirs === undefined || conflict !== 'closed') return null
  return (
    <div className={styles.offer} role="status">
      <span className="grow">
        <span className="b5">
          <Saver theirs={theirs} /> saved revision {theirs.revision}.
        </span>{' '}
        <span className="t2">Your edits are safe.</span>
      </span>
      <Button onClick={review}>Review and rebase</Button>
    </div>
  )
}

/** Not while nothing can be saved; a reason that was typed before stays. */
function mayGiveReason(editor: Editor, edit: Edit): boolean {
  return editor.isSaving || editor.reason !== '' || whyOff(editor, edit) === false
}

function Reason({ editor }: { editor: Editor }): ReactElement {
  return (
    <Field label="Reason" id={controlId('reason')} fault={faultOf(editor.failure.faults, 'reason')}>
      {(control) => (
        <TextInput
          {...control}
          tall
          placeholder="Optional; the history shows it"
          value={editor.reason}
          onChange={(event) => {
            editor.setReason(event.target.value)
            editor.clearFault('reason')
          }}
        />
      )}
    </Field>
  )
}

/** Always in reach on narrow screens, where the comparison stands below the form. */
export function SaveBar({ editor, edit }: ChangesPanelProps): ReactElement {
  return (
    <div className={styles.saveBar} data-testid="save-bar">
      <Offer editor={editor} />
      <ChangedFields edit={edit} />
      <SaveButtons editor={editor} edit={edit} />
    </div>
  )
}

/** Names what saving changes, and leads to the comparison. */
function ChangedFields({ edit }: { edit: Edit }): ReactElement {
  const labels = [...new Set([...edit.changes, ...edit.faults].map(({ label }) => label))]
  return (
    <button type="button" className={styles.saveWhat} onClick={showChanges}>
      <span className="cut">
        <span className="b5">{plural(labels.length, 'field')}:</span> {labels.join(', ')}
      </span>
      <span className="link">Show changes</span>
    </button>
  )
}

function showChanges(): void {
  const panel = document.getElementById(PANEL)
  panel?.focus({ preventScroll: true })
  panel?.scrollIntoView({ block: 'start' })
}

interface SaveButtonsProps {
  editor: Editor
  edit: Edit
}

function SaveButtons({ editor, edit }: SaveButtonsProps): ReactElement {
  const off = whyOff(editor, edit)
  const isEmpty = edit.changes.length + edit.faults.length === 0
  return (
    <div className={join(styles.saveButtons, 'col')}>
      <div className="row wrap">
        <Button variant="primary" size="lg" shortcut="Ctrl S" off={off} onClick={editor.save}>
          {editor.isSaving ? 'Saving' : `Save revision ${(editor.theirs ?? editor.base).revision + 1}`}
        </Button>
        {isEmpty ? null : (
          <Button size="lg" onClick={editor.discard}>
            Discard changes
          </Button>
        )}
      </div>
      {off === false || isEmpty ? null : (
        <span className="sm t2 row row-1" aria-hidden="true">
          <Icon name="info" size="xs" />
          {off}
        </span>
      )}
    </div>
  )
}

/** Why the changes cannot be saved; false: they can. */
function whyOff({ theirs, isSaving, failure }: Editor, edit: Edit): string | false {
  if (isSaving) return 'The request is running'
  const faults = openFaults(edit.faults, failure.faults)
  const correct = faults === 0 ? undefined : `correct ${plural(faults, 'field')}`
  if (theirs !== undefined) {
    return `Rebase on revision ${theirs.revision} first${correct === undefined ? '' : `, then ${correct}`}`
  }
  if (correct !== undefined) return `${correct.charAt(0).toUpperCase()}${correct.slice(1)} first`
  return edit.changes.length === 0 ? 'Nothing has changed' : false
}

/** A fault of the server goes away with the next edit of its field; one without a field does not block. */
function openFaults(found: readonly Fault[], refused: readonly Fault[]): number {
  return new Set([...found, ...refused].flatMap(({ name }) => name ?? [])).size
}

const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six']

/** What the changes mean for the last evaluation. */
function BehaviourNote({
  result,
  changes,
}: {
  result: AgentResult
  changes: readonly Change[]
}): ReactElement | null {
  const count = changes.filter(({ path }) => bearsOnBehaviour(path)).length
  if (count === 0) return null
  const said = NUMBERS[count] ?? String(count)
  const whole = count === changes.length && count === 1
  return (
    <p className="sm row top">
      <BehaviourMark />
      <span className="t2">
        {whole ? 'This change bears' : `${said} of these ${count === 1 ? 'bears' : 'bear'}`} on behaviour.{' '}
        {sayEvaluation(result)}
      </span>
    </p>
  )
}

function sayEvaluation({ agent }: AgentResult): string {
  const evaluation = agent.latest_evaluation
  if (evaluation === null || evaluation === undefined) return 'The agent has no evaluation yet.'
  const score = evaluation.overall_score ?? null
  const which = `The evaluation of r${evaluation.revision ?? '?'}${score === null ? '' : ` (${formatScore(score)})`}`
  return evaluation.current === false
    ? `${which} is already outdated and stays so until the next run.`
    : `${which} will no longer hold.`
}
