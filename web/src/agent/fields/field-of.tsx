import { type ReactElement, useState } from 'react'
import { AddField, useIsUsed } from './add-field.tsx'
import { FieldControl } from './control.tsx'
import { useFormParts } from './form-context.ts'
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
  const { readOnly } = useFormParts()
  const isUsed = useIsUsed([spec.path])
  const [isOpen, setOpen] = useState(false)
  if (isUsed || isOpen) return <FieldControl spec={spec} autoFocus={isOpen} />
  return readOnly ? null : <AddField label={spec.label} onAdd={() => setOpen(true)} />
}
