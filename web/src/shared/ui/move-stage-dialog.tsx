import { type ReactElement, useState } from 'react'
import { STAGES } from '../words.ts'
import { StageBadge } from './badges.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { RadioLine, TextInput } from './inputs.tsx'

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
