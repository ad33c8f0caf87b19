import { type ReactElement, useId, useState } from 'react'
import { plural } from '../../shared/format.ts'
import buttonStyles from '../../shared/ui/button.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { TextArea } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import type { Source } from '../fields/form.ts'
import { type Imported, readImport } from './import.ts'

interface ImportDialogProps {
  open: boolean
  onClose: () => void
  onTake: (source: Source) => void
}

/** An agent as JSON, pasted or from a file. It fills the form; nothing is created yet. */
export function ImportDialog({ open, onClose, onTake }: ImportDialogProps): ReactElement {
  const [text, setText] = useState('')
  const read = text.trim() === '' ? undefined : readImport(text)
  const imported = read === undefined || 'fault' in read ? undefined : read
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Import an agent from JSON"
      kind="sheet"
      footer={
        <>
          <Button
            variant="primary"
            size="lg"
            off={imported === undefined ? 'Paste the configuration of an agent first' : false}
            onClick={() => {
              if (imported === undefined) return
              onTake(imported.source)
              onClose()
            }}
          >
            Fill the form
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <p className="t2">
        Paste what the API or an export gives for one agent, or choose a file. It fills the form; nothing is
        created yet.
      </p>
      <Field
        label="JSON"
        fault={read !== undefined && 'fault' in read ? read.fault : undefined}
        action={<FileButton onText={setText} />}
      >
        {(control) => (
          <TextArea
            {...control}
            data-autofocus
            rows={12}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {imported === undefined ? null : <Preview imported={imported} />}
    </Dialog>
  )
}

function FileButton({ onText }: { onText: (text: string) => void }): ReactElement {
  const id = useId()
  return (
    <label className={buttonStyles.button} htmlFor={id}>
      Choose a file
      <input
        id={id}
        className="hid"
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file !== undefined) void file.text().then(onText)
        }}
      />
    </label>
  )
}

function Preview({ imported: { taken, ignored, secrets } }: { imported: Imported }): ReactElement {
  return (
    <dl className={pageStyles.pairs} aria-live="polite">
      <dt>Taken</dt>
      <dd>
        {plural(taken.length, 'field')}: <span className="mono">{taken.join(', ') || '—'}</span>
      </dd>
      <dt>Ignored</dt>
      <dd>
        {ignored.length === 0 ? (
          'None'
        ) : (
          <>
            {plural(ignored.length, 'field')} that a new agent cannot have:{' '}
            <span className="mono">{ignored.join(', ')}</span>
          </>
        )}
      </dd>
      {secrets.length === 0 ? null : (
        <>
          <dt>Secrets</dt>
          <dd>
            <span className="mono">{secrets.join(', ')}</span> not imported. Set them on the secrets tab of
            the new agent.
          </dd>
        </>
      )}
    </dl>
  )
}
