import { type ReactElement, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Button } from '../../shared/ui/button.tsx'
import { FieldControl } from './control.tsx'
import type { FormValues } from './form.ts'
import { faultOf, useFormParts } from './form-context.ts'
import { PromptField } from './prompt-field.tsx'
import type { FieldSpec } from './spec.ts'

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
  const { base, faults, readOnly } = useFormParts()
  const value = useWatch<FormValues, `fields.${string}`>({ name: `fields.${spec.path}` })
  const [isOpen, setOpen] = useState(false)
  const isUsed = Boolean(value) || base.fields[spec.path] !== '' || faultOf(faults, spec.path) !== undefined
  if (isUsed || isOpen) return <FieldControl spec={spec} autoFocus={isOpen} />
  if (readOnly) return null
  return (
    <div className="add-field">
      <Button variant="quiet" icon="add" onClick={() => setOpen(true)}>
        {spec.label}
      </Button>
    </div>
  )
}
