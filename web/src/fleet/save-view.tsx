import { type ReactElement, useState } from 'react'
import { toastFailure } from '../api/problem.ts'
import { faultOfName, saveView, useViews } from '../api/views.ts'
import { useOff } from '../auth/permissions.ts'
import { stringifySearch } from '../shared/search.ts'
import { Button } from '../shared/ui/button.tsx'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Field } from '../shared/ui/field.tsx'
import { RadioLine, TextInput } from '../shared/ui/inputs.tsx'
import { toast } from '../shared/ui/toast.tsx'
import type { FleetAddress } from './address.ts'
import styles from './fleet.module.css'

export function SaveView({ address }: { address: FleetAddress }): ReactElement {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="quiet" icon="star" onClick={() => setOpen(true)}>
        Save view
      </Button>
      {open ? <SaveDialog address={address} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** Filters, order and columns under a name. */
function SaveDialog({ address, onClose }: { address: FleetAddress; onClose: () => void }): ReactElement {
  const [text, setText] = useState('')
  const [touched, setTouched] = useState(false)
  const [scope, setScope] = useState<'user' | 'team'>('user')
  const [busy, setBusy] = useState(false)
  const views = useViews()
  const off = useOff('agent:write')
  const name = text.trim()
  const fault = faultOfName(name)
  const replaces = views.some((view) => view.name === name && view.scope === scope)
  const save = async (): Promise<void> => {
    setTouched(true)
    if (fault !== undefined || busy) return
    setBusy(true)
    const { columns, ...rest } = address.search
    try {
      const query = stringifySearch(rest).slice(1)
      await saveView({ name, scope, query, columns: Array.isArray(columns) ? columns : [] })
      toast({ text: `View “${name}” saved` })
      onClose()
    } catch (error) {
      setBusy(false)
      toastFailure('The view was not saved', error)
    }
  }
  return (
    <Dialog open onClose={onClose} title="Save this view">
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field
          label="Name"
          fault={touched ? fault : undefined}
          hint={
            replaces
              ? 'It replaces the view with this name.'
              : 'The filters, the order and the columns are saved.'
          }
        >
          {(control) => (
            <TextInput
              {...control}
              tall
              data-autofocus
              maxLength={100}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <fieldset className={styles.choices}>
          <legend className="hid">Who sees it</legend>
          <RadioLine name="scope" checked={scope === 'user'} onChange={() => setScope('user')}>
            Only I see it
          </RadioLine>
          <RadioLine
            name="scope"
            checked={scope === 'team'}
            aria-disabled={off !== false}
            onChange={() => off === false && setScope('team')}
          >
            The whole team sees it {off === false ? null : <span className="sm t3">{off}</span>}
          </RadioLine>
        </fieldset>
        <div className="row">
          <Button type="submit" variant="primary" size="lg" off={busy && 'The request is running'}>
            {replaces ? 'Replace the view' : 'Save the view'}
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
