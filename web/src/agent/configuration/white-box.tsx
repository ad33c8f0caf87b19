import { type ReactNode, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { join } from '../../shared/ui/class-names.ts'
import { AddField, useIsUsed } from '../fields/add-field.tsx'
import fieldsStyles from '../fields/fields.module.css'
import { focusControl } from '../fields/focus.ts'
import type { FormValues } from '../fields/form.ts'
import { useFormParts } from '../fields/form-context.ts'
import { FIELDS } from '../fields/table.ts'

const PATHS = FIELDS.filter(({ group }) => group === 'white_box').map(({ path }) => path)

/** Tests of a black box do not read its source: without a value the fields are a button. */
export function WhiteBox({ hasToken, children }: { hasToken: boolean; children: ReactNode }): ReactNode {
  const { readOnly } = useFormParts()
  const access = useWatch<FormValues, `fields.${string}`>({ name: 'fields.access_level' })
  const isUsed = useIsUsed(PATHS)
  const [isOpen, setOpen] = useState(false)
  if (hasToken || access !== 'black_box' || isUsed || isOpen) return children
  if (readOnly) return <p className={join(fieldsStyles.whole, 't3')}>Not set</p>
  const show = (): void => {
    setOpen(true)
    requestAnimationFrame(() => focusControl(PATHS[0] ?? ''))
  }
  return <AddField label="Source code" onAdd={show} />
}
