import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, useState } from 'react'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import { toast } from '../../shared/ui/toast.tsx'
import type { SecretPart } from './parts.ts'
import { SecretInput } from './secret-input.tsx'
import styles from './secrets.module.css'
import { useWrite } from './use-write.ts'

interface ReplaceFormProps {
  result: AgentResult
  secret: SecretPart
  onDone: () => void
  onCancel: () => void
}

/** The value lives in this form's state only; it is gone when the form closes. */
export function ReplaceForm({ result, secret, onDone, onCancel }: ReplaceFormProps): ReactElement {
  const [value, setValue] = useState('')
  const [reason, setReason] = useState('')
  const { write, busy, fault } = useWrite(result, secret.path)
  const isNew = secret.mask === null
  const off = value === '' ? 'Enter the new value first' : busy && 'The request is running'
  return (
    <form
      className={join(styles.replace, 'col col-3')}
      onSubmit={(event) => {
        event.preventDefault()
        if (off !== false) return
        void write(value, reason, (revision) => {
          toast({ text: `${secret.label} ${isNew ? 'set' : 'replaced'}, revision ${revision}` })
          onDone()
        })
      }}
    >
      <hr />
      <SecretInput label={`New ${secret.label}`} fault={fault} autoFocus onChange={setValue} />
      <Field label="Reason" hint="Optional. It is kept with the revision; do not put the secret into it.">
        {(control) => (
          <TextInput
            {...control}
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <div className="row wrap">
        <Button type="submit" variant="primary" off={off}>
          {isNew ? 'Set' : 'Replace'} {secret.label}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
        <span className="sp" />
        <span className="sm t3 row row-1">
          {secret.behaviour ? <BehaviourMark /> : null}
          makes revision {result.revision + 1}
          {secret.behaviour ? ' and outdates the evaluation' : ''}
        </span>
      </div>
    </form>
  )
}
