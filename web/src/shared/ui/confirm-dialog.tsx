import { type ReactElement, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { TextInput } from './inputs.tsx'

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
