import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, useState } from 'react'
import { useOff } from '../../auth/permissions.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { toast } from '../../shared/ui/toast.tsx'
import { SecretInput } from './secret-input.tsx'
import styles from './secrets.module.css'
import { useWrite } from './use-write.ts'

/** As the document has it. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const MAX_NAMED = 20

interface AddFormProps {
  result: AgentResult
  /** Names in use. */
  names: readonly string[]
}

export function AddForm({ result, names }: AddFormProps): ReactElement {
  const [open, setOpen] = useState(false)
  const mayNot = useOff('agent:write')
  const full = names.length >= MAX_NAMED && `An agent has at most ${MAX_NAMED} named secrets`
  if (open) return <OpenForm result={result} names={names} onClose={() => setOpen(false)} />
  return (
    <div className="row">
      <Button icon="add" off={mayNot || full} onClick={() => setOpen(true)}>
        Add a named secret
      </Button>
    </div>
  )
}

function OpenForm({ result, names, onClose }: AddFormProps & { onClose: () => void }): ReactElement {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const { write, busy, fault } = useWrite(result, `secrets.${name}`)
  const wrong = nameFault(name, names)
  const off = wrong ?? (value === '' ? 'Enter the value first' : busy && 'The request is running')
  return (
    <form
      className={join(pageStyles.card, styles.newSecret, 'col col-3')}
      aria-label="New named secret"
      onSubmit={(event) => {
        event.preventDefault()
        if (off !== false) return
        void write(value, '', (revision) => {
          toast({ text: `Secret ${name} added, revision ${revision}` })
          onClose()
        })
      }}
    >
      <Field
        label="Name"
        fault={name === '' ? undefined : wrong}
        hint={
          <>
            Fields refer to it as <span className="mono">{`{"$secret": "${name || 'name'}"}`}</span>
          </>
        }
      >
        {(control) => (
          <TextInput
            {...control}
            tall
            mono
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <SecretInput label="Value" fault={fault} onChange={setValue} />
      <div className="row wrap">
        <Button type="submit" variant="primary" off={off}>
          Add secret
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className="sp" />
        <span className="sm t3">makes revision {result.revision + 1}</span>
      </div>
    </form>
  )
}

function nameFault(name: string, names: readonly string[]): string | undefined {
  if (name === '') return 'Enter a name first'
  if (!NAME.test(name)) return 'A letter, then letters, digits, _ or -'
  return names.includes(name) ? 'There is a secret of this name. Replace it instead.' : undefined
}
