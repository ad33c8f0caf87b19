import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { describe, isStatus } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { ConfirmDialog } from '../../shared/ui/dialogs.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { toast } from '../../shared/ui/toast.tsx'
import styles from './secrets.module.css'
import { nameOf, type SecretPart, writeSecret } from './secrets.ts'

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

interface ClearDialogProps {
  result: AgentResult
  secret: SecretPart
  onClose: () => void
}

/** A restore does not bring a secret back, so that it asks. */
export function ClearDialog({ result, secret, onClose }: ClearDialogProps): ReactElement {
  const { write, busy, fault } = useWrite(result, secret.path)
  const verb = nameOf(secret.path) === undefined ? 'Clear' : 'Delete'
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${verb} ${secret.label}?`}
      confirm={`${verb} ${secret.label}`}
      keep="Keep it"
      busy={busy}
      onConfirm={() =>
        void write(null, '', (revision) => {
          toast({
            text: `${secret.label} is ${verb === 'Clear' ? 'cleared' : 'deleted'}, revision ${revision}`,
          })
          onClose()
        })
      }
    >
      <p>
        The value <span className="mono">{secret.mask}</span> is lost: restoring a revision does not bring
        secrets back. What uses it stops working.
      </p>
      {fault === undefined ? null : (
        <p className="danger-t mt2" role="alert">
          {fault}
        </p>
      )}
    </ConfirmDialog>
  )
}

interface SecretInputProps {
  label: string
  fault: string | undefined
  autoFocus?: boolean
  onChange: (value: string) => void
}

/** Takes no `value`: React would copy it into an attribute, and the document would hold the secret in clear text. */
function SecretInput({ label, fault, autoFocus = false, onChange }: SecretInputProps): ReactElement {
  const [visible, setVisible] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (autoFocus) input.current?.focus()
  }, [autoFocus])
  return (
    <Field
      label={label}
      fault={fault}
      hint="Sealed on the server before it is stored. After saving, at most the last four characters can be seen."
    >
      {(control) => (
        <>
          {/* A form with a password needs a user name, which password managers read. */}
          <input type="text" hidden readOnly autoComplete="username" value={label} />
          <TextInput
            {...control}
            ref={input}
            tall
            mono
            type={visible ? 'text' : 'password'}
            // Password managers must not offer to keep it.
            autoComplete="new-password"
            data-1p-ignore
            spellCheck={false}
            maxLength={8192}
            onChange={(event) => onChange(event.target.value)}
            suffix={
              <IconButton
                size="s"
                icon={visible ? 'eyeOff' : 'eye'}
                label={visible ? 'Hide what you type' : 'Show what you type'}
                onClick={() => setVisible(!visible)}
              />
            }
          />
        </>
      )}
    </Field>
  )
}

interface Write {
  /** Calls `done` with the new revision. If it did not work, `fault` says why. */
  write: (value: string | null, reason: string, done: (revision: number) => void) => Promise<void>
  busy: boolean
  fault: string | undefined
}

/** Changes a secret of the agent as `result` shows it. */
function useWrite(result: AgentResult, path: string): Write {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const write: Write['write'] = async (value, reason, done) => {
    setBusy(true)
    setFault(undefined)
    try {
      done(await writeSecret(result, path, value, reason.trim() || undefined))
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  return { write, busy, fault }
}

function faultOf(error: unknown): string {
  if (isStatus(error, 412)) {
    return 'Another user changed the agent meanwhile. Nothing was saved; look at it and save again.'
  }
  const { detail, code, requestId } = describe(error)
  return `${detail} (${code}${requestId === undefined ? '' : ` · req ${requestId}`})`
}
