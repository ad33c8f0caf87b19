import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { api, keys } from '../../api/client.ts'
import { formatCount } from '../../shared/format.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { Segments, TextArea } from '../../shared/ui/inputs.tsx'
import styles from './fields.module.css'
import type { FormValues } from './form.ts'
import { faultOf, useFormParts } from './form-context.ts'
import { AreaInput, type InputProps, renderInput } from './inputs.tsx'
import { bearsOnBehaviour } from './labels.ts'
import { controlId, type FieldSpec, GROUPS, type GroupId } from './table.ts'

/** The control that fits the kind of the field. */
export function FieldOf({ spec }: { spec: FieldSpec }): ReactElement | null {
  if (spec.kind === 'prompt' || spec.kind === 'code') return <PromptField spec={spec} />
  return spec.kind === 'rest' || spec.kind === 'json' ? (
    <JsonField spec={spec} />
  ) : (
    <FieldControl spec={spec} />
  )
}

/** Most agents have nothing here: until then it is a button. */
function JsonField({ spec }: { spec: FieldSpec }): ReactElement | null {
  const { readOnly } = useFormParts()
  const isUsed = useIsUsed([spec.path])
  const [isOpen, setOpen] = useState(false)
  if (isUsed || isOpen) return <FieldControl spec={spec} autoFocus={isOpen} />
  return readOnly ? null : <AddField label={spec.label} onAdd={() => setOpen(true)} />
}

const WIDTHS = { 1: styles.quarter, 2: styles.half, 4: styles.whole }

interface FieldControlProps {
  spec: FieldSpec
  action?: ReactNode
  /** The user has just asked for the field. */
  autoFocus?: boolean
  /** Another input than the one of the kind. */
  render?: (props: InputProps) => ReactElement
}

function FieldControl({
  spec,
  action,
  autoFocus = false,
  render = renderInput,
}: FieldControlProps): ReactElement {
  const { base, faults, onEdit, readOnly, defaults } = useFormParts()
  const { field } = useController<FormValues, `fields.${string}`>({ name: `fields.${spec.path}` })
  const value = field.value ?? ''
  // A saved agent has a value already.
  const isRequired = spec.required === true && base.fields[spec.path] === '' && !(spec.path in defaults)
  const placeholder = spec.placeholder ?? placeholderOf(spec, defaults)
  return (
    <div className={WIDTHS[spec.width]}>
      <Field
        id={controlId(spec.path)}
        label={spec.formLabel ?? spec.label}
        behaviour={bearsOnBehaviour(spec.path)}
        fault={faultOf(faults, spec.path)}
        required={isRequired}
        action={action}
        {...(spec.hint === undefined ? {} : { hint: spec.hint })}
      >
        {(control) =>
          render({
            spec: placeholder === undefined ? spec : { ...spec, placeholder },
            control,
            value,
            dirty: value !== base.fields[spec.path],
            readOnly,
            autoFocus,
            inputRef: field.ref,
            onChange: (text) => {
              field.onChange(text)
              onEdit(spec.path)
            },
          })
        }
      </Field>
    </div>
  )
}

function placeholderOf(spec: FieldSpec, defaults: Readonly<Record<string, string>>): string | undefined {
  const value = defaults[spec.path]
  if (value !== undefined) return spec.options?.[value] ?? value
  return spec.kind === 'number' || spec.kind === 'integer' ? 'default' : undefined
}

interface FormGroupProps {
  id: GroupId
  /** Instead of the sentence of the group. */
  note?: ReactNode
  title?: string
  /** A part of it without a label of its own bears on the behaviour of the agent. */
  behaviour?: boolean
  children: ReactNode
}

/** A heading with the fields that belong together. */
export function FormGroup({ id, note, title, behaviour = false, children }: FormGroupProps): ReactElement {
  const [name, sentence] = GROUPS[id]
  return (
    <section className={styles.group} aria-labelledby={`group-${id}`}>
      <div>
        <h2 id={`group-${id}`} className="row row-1">
          {title ?? name}
          {behaviour ? <BehaviourMark /> : null}
        </h2>
        <p className="sm t3">{note ?? sentence}</p>
      </div>
      <div className={styles.grid}>{children}</div>
    </section>
  )
}

/** Whether one of the fields has a value now, had one when the form was opened, or has a fault. */
export function useIsUsed(paths: readonly string[]): boolean {
  const { base, faults } = useFormParts()
  const values = useWatch<FormValues, `fields.${string}`[]>({
    name: paths.map((path) => `fields.${path}` as const),
  })
  return (
    values.some(Boolean) ||
    paths.some((path) => base.fields[path] !== '' || faultOf(faults, path) !== undefined)
  )
}

/** Stands in place of fields that most agents do not have. */
export function AddField({ label, onAdd }: { label: string; onAdd: () => void }): ReactElement {
  return (
    <div className={styles.addField}>
      <Button variant="quiet" icon="add" onClick={onAdd}>
        {label}
      </Button>
    </div>
  )
}

const CodeEditor = lazy(() => import('./code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

/** A long text: a text area in the form, and an editor with lines and comparison on the full screen. */
function PromptField({ spec }: { spec: FieldSpec }): ReactElement {
  const [open, setOpen] = useState(false)
  return (
    <FieldControl
      spec={spec}
      action={
        <Button variant="quiet" size="s" icon="expand" onClick={() => setOpen(true)}>
          Full screen
        </Button>
      }
      render={(props) => (
        <>
          <AreaInput {...props} />
          <Dialog open={open} onClose={() => setOpen(false)} title={spec.label} kind="full">
            <FullScreen {...props} />
          </Dialog>
        </>
      )}
    />
  )
}

function FullScreen({ spec, value, readOnly, onChange }: InputProps): ReactElement {
  const { base } = useFormParts()
  const [mode, setMode] = useState<'write' | 'compare'>('write')
  // Typing may begin before the editor has loaded.
  const cursor = useRef(0)
  const saved = base.fields[spec.path] ?? ''
  return (
    <>
      <div className="row wrap">
        <Segments
          label="View"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'write', label: 'Write', icon: 'edit' },
            { value: 'compare', label: 'Compare with saved', icon: 'columns' },
          ]}
        />
        <span className="sp" />
        <span className="sm t3 num">{formatCount(value.length)} characters</span>
      </div>
      <Suspense
        fallback={
          <TextArea
            aria-label={spec.label}
            className={styles.editor}
            value={value}
            readOnly={readOnly}
            onSelect={(event) => {
              cursor.current = event.currentTarget.selectionStart
            }}
            onChange={(event) => {
              cursor.current = event.target.selectionStart
              onChange(event.target.value)
            }}
          />
        }
      >
        <CodeEditor
          label={spec.label}
          value={value}
          saved={mode === 'compare' ? saved : undefined}
          cursor={cursor}
          readOnly={readOnly}
          onChange={onChange}
        />
      </Suspense>
    </>
  )
}

/** Models that other agents of the team use, as suggestions. */
export function KnownModels(): ReactElement {
  const { data } = useQuery({
    queryKey: keys.facets({}),
    queryFn: ({ signal }) => api().agents.facets({}, { signal }),
  })
  return (
    <datalist id="known-models">
      {(data?.facets.model_names ?? []).map(({ value }) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}
