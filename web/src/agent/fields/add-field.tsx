import type { ReactElement } from 'react'
import { useWatch } from 'react-hook-form'
import { Button } from '../../shared/ui/button.tsx'
import styles from './fields.module.css'
import type { FormValues } from './form.ts'
import { faultOf, useFormParts } from './form-context.ts'

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
