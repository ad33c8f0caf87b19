import type { ReactElement, ReactNode } from 'react'
import { useController } from 'react-hook-form'
import { Field } from '../../shared/ui/field.tsx'
import styles from './fields.module.css'
import type { FormValues } from './form.ts'
import { faultOf, useFormParts } from './form-context.ts'
import { type InputProps, renderInput } from './inputs.tsx'
import type { FieldSpec } from './spec.ts'
import { bearsOnBehaviour, controlId } from './table.ts'

const WIDTHS = { 1: styles.quarter, 2: styles.half, 4: styles.whole }

interface FieldControlProps {
  spec: FieldSpec
  action?: ReactNode
  /** The user has just asked for the field. */
  autoFocus?: boolean
  /** Another input than the one of the kind. */
  render?: (props: InputProps) => ReactElement
}

export function FieldControl({
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
