import type { ReactElement, Ref } from 'react'
import { formatUtc } from '../../shared/format.ts'
import { join } from '../../shared/ui/class-names.ts'
import type { ControlProps } from '../../shared/ui/field.tsx'
import inputsStyles from '../../shared/ui/inputs.module.css'
import { Select, Switch, TextArea, TextInput } from '../../shared/ui/inputs.tsx'
import styles from './fields.module.css'
import type { FieldSpec } from './table.ts'

/** What each kind of input gets. */
export interface InputProps {
  spec: FieldSpec
  control: ControlProps
  value: string
  dirty: boolean
  readOnly: boolean
  autoFocus: boolean
  onChange: (text: string) => void
  inputRef: Ref<HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement>
}

/** The input that fits the kind of the field. */
export function renderInput(props: InputProps): ReactElement {
  const { spec } = props
  if (spec.kind === 'switch') return <SwitchInput {...props} />
  if (spec.kind === 'select') return <SelectInput {...props} />
  if (['lines', 'code', 'prompt', 'json', 'rest', 'urls'].includes(spec.kind)) return <AreaInput {...props} />
  return <LineInput {...props} />
}

function LineInput({ spec, control, value, dirty, readOnly, onChange, inputRef }: InputProps): ReactElement {
  const isNumber = spec.kind === 'integer' || spec.kind === 'number' || spec.kind === 'time'
  const suffix = spec.kind === 'time' ? timeOf(value) : spec.unit
  return (
    <TextInput
      {...control}
      tall
      ref={inputRef}
      value={value}
      dirty={dirty}
      readOnly={readOnly}
      mono={spec.mono === true}
      placeholder={spec.placeholder}
      required={spec.required}
      onChange={(event) => onChange(event.target.value)}
      {...(isNumber ? { inputMode: 'decimal' } : {})}
      {...(suffix === undefined ? {} : { suffix })}
      {...(spec.path === 'model_name' ? { list: 'known-models' } : {})}
    />
  )
}

function timeOf(text: string): string | undefined {
  const seconds = Number(text)
  return text.trim() === '' || !Number.isInteger(seconds) || Math.abs(seconds) > 1e11
    ? undefined
    : formatUtc(seconds)
}

export function AreaInput({
  spec,
  control,
  value,
  dirty,
  readOnly,
  autoFocus,
  onChange,
  inputRef,
}: InputProps): ReactElement {
  const isProse = spec.kind === 'lines'
  return (
    <TextArea
      {...control}
      ref={inputRef}
      rows={spec.kind === 'prompt' ? 6 : 1}
      className={join(inputsStyles.grows, isProse && inputsStyles.prose)}
      value={value}
      dirty={dirty}
      readOnly={readOnly}
      spellCheck={isProse}
      // Only where a button has just made way for the field.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus={autoFocus}
      placeholder={spec.placeholder ?? (spec.kind === 'json' || spec.kind === 'rest' ? '{ }' : undefined)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** A select cannot be read-only: a reader gets the words as text. */
function SelectInput(props: InputProps): ReactElement {
  const { spec, control, value, dirty, readOnly, onChange, inputRef } = props
  const options = Object.entries(spec.options ?? {}).map(([each, label]) => ({ value: each, label }))
  const known = options.find((option) => option.value === value)
  if (readOnly) return <TextInput {...control} tall readOnly value={known?.label ?? value} />
  const empty = spec.placeholder === undefined ? 'Not set' : `${spec.placeholder} (default)`
  return (
    <Select
      {...control}
      ref={inputRef}
      frame={join(inputsStyles.full, inputsStyles.tall)}
      dirty={dirty}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      options={[
        ...(spec.required === true && spec.placeholder === undefined ? [] : [{ value: '', label: empty }]),
        ...options,
        ...(known === undefined && value !== '' ? [{ value, label: value }] : []),
      ]}
    />
  )
}

function SwitchInput({ control, value, dirty, readOnly, onChange, inputRef }: InputProps): ReactElement {
  const isOn = value === 'true'
  return (
    <span className={join(styles.switchLine, dirty && styles.dirty)}>
      <Switch
        {...control}
        ref={inputRef}
        checked={isOn}
        aria-disabled={readOnly}
        onChange={(event) => {
          if (!readOnly) onChange(String(event.target.checked))
        }}
      >
        {isOn ? 'On' : 'Off'}
      </Switch>
    </span>
  )
}
