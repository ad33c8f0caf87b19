import { useBlocker } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useState } from 'react'
import { STAGES } from '../words.ts'
import { StageBadge } from './badges.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { RadioLine, TextInput } from './inputs.tsx'

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** What is lost, what is kept. */
  children: ReactNode
  /** The user types it, so that nothing is deleted by a slip. Absent: one click is enough. */
  typed?: string
  confirm: string
  keep: string
  /** Why it cannot be confirmed yet. */
  wait?: string | undefined
  /** While the request runs. */
  busy?: boolean
  onConfirm: () => void
}

/** Only for what cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { open, onClose, title, children, typed, confirm, keep, wait, busy = false, onConfirm } = props
  const [text, setText] = useState('')
  const untyped = typed !== undefined && text !== typed
  const off = wait ?? (untyped ? 'Type the name first' : busy && 'The request is running')
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (off === false) onConfirm()
        }}
      >
        <div className="t2">{children}</div>
        {typed === undefined ? null : (
          <Field label="Type the name to go on">
            {(control) => (
              <TextInput
                {...control}
                tall
                data-autofocus
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="row">
          <Button type="submit" variant="danger solid" size="lg" off={off}>
            {confirm}
          </Button>
          <Button size="lg" onClick={onClose}>
            {keep}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface MoveStageDialogProps {
  /** "Invoice helper", or "3 agents". */
  what: string
  /** The present stage, where it is one. */
  current?: string | undefined
  /** The stage that is chosen at first. */
  initial?: string | undefined
  busy?: boolean
  /** Why it was not moved. */
  fault?: string | undefined
  onMove: (stage: string, reason: string | undefined) => void
  onClose: () => void
}

/** Asks for the stage and why: the history, the event and the audit log keep the reason. */
export function MoveStageDialog(props: MoveStageDialogProps): ReactElement {
  const { what, current, initial, busy = false, fault, onMove, onClose } = props
  const [stage, setStage] = useState(initial)
  const [reason, setReason] = useState('')
  const off =
    stage === undefined || stage === current ? 'Choose another stage first' : busy && 'The request is running'
  return (
    <Dialog open onClose={onClose} title={`Move ${what} to`}>
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (off === false && stage !== undefined) onMove(stage, reason.trim() || undefined)
        }}
      >
        <fieldset className={styles.stages}>
          <legend className="hid">Trust stage</legend>
          {Object.keys(STAGES).map((each) => (
            <RadioLine
              key={each}
              name="stage"
              value={each}
              checked={each === (stage ?? current)}
              onChange={() => setStage(each)}
              {...(each === (initial ?? current) ? { 'data-autofocus': true } : {})}
            >
              <StageBadge value={each} />
              {each === current ? <span className="sm t3"> now</span> : null}
            </RadioLine>
          ))}
        </fieldset>
        <Field label="Reason" hint="Optional. The history, the event and the audit log show it.">
          {(control) => (
            <TextInput
              {...control}
              tall
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        {fault === undefined ? null : (
          <p className="danger-t" role="alert">
            {fault}
          </p>
        )}
        <div className="row wrap">
          <Button type="submit" variant="primary" size="lg" off={off} reason="beside">
            {stage === undefined || stage === current ? 'Move' : `Move to ${STAGES[stage]}`}
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface UnsavedChangesProps {
  /** There is something to save: the update would not be empty. */
  dirty: boolean
  /** "the configuration" */
  what: string
  /** Forgets the changes and their draft. */
  onDiscard: () => void
}

/** Asks before the page is left with unsaved changes. Put it inside the form's page. */
export function UnsavedChanges({ dirty, what, onDiscard }: UnsavedChangesProps): ReactElement {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  })
  const stay = (): void => blocker.reset?.()
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      onClose={stay}
      title="Leave without saving?"
      footer={
        <>
          <Button variant="primary" size="lg" data-autofocus onClick={stay}>
            Keep editing
          </Button>
          <Button
            variant="danger"
            size="lg"
            onClick={() => {
              onDiscard()
              blocker.proceed?.()
            }}
          >
            Discard changes
          </Button>
        </>
      }
    >
      <p className="t2">Your changes of {what} are not saved yet.</p>
    </Dialog>
  )
}
