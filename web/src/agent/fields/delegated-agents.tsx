import type { ReactElement } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import inputsStyles from '../../shared/ui/inputs.module.css'
import { TextArea, TextInput } from '../../shared/ui/inputs.tsx'
import {
  DELEGATE_FIELDS,
  type DelegateField,
  type DelegateRow,
  EMPTY_ROW,
  sameRows,
  toRow,
} from './delegates.ts'
import styles from './fields.module.css'
import type { FormValues } from './form.ts'
import { faultOf, useFormParts } from './form-context.ts'
import { controlId, DELEGATES } from './table.ts'

/** The rows of the agents that work is passed to. */
export function DelegatedAgents(): ReactElement {
  const { readOnly, onEdit, faults } = useFormParts()
  const { control } = useFormContext<FormValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'delegates' })
  const fault = faultOf(faults, DELEGATES.name)
  return (
    <div className={join(styles.whole, 'col col-3')} id={controlId(DELEGATES.name)} tabIndex={-1}>
      {fields.length === 0 ? <p className="t3">It passes no work to other agents.</p> : null}
      {fields.map((field, index) => (
        <Row
          key={field.id}
          index={index}
          onRemove={() => {
            remove(index)
            onEdit(DELEGATES.name)
          }}
        />
      ))}
      {fault === undefined ? null : <p className="danger-t sm">{fault}</p>}
      {readOnly ? null : (
        <span>
          <Button icon="add" onClick={() => append({ ...EMPTY_ROW })}>
            Add an agent
          </Button>
        </span>
      )}
    </div>
  )
}

function Row({ index, onRemove }: { index: number; onRemove: () => void }): ReactElement {
  const { readOnly } = useFormParts()
  const row = useWatch<FormValues, `delegates.${number}`>({ name: `delegates.${index}` }) as
    | DelegateRow
    | undefined
  const isDirty =
    row !== undefined && (row.origin === '' || !sameRows([row], [toRow(JSON.parse(row.origin))]))
  const title = row?.name || row?.url || row?.agent_id || `Agent ${index + 1}`
  return (
    <fieldset className={join(styles.delegate, isDirty && styles.dirty)}>
      <legend className="hid">Delegated agent {index + 1}</legend>
      <div className="row">
        <span className="b5 cut grow">{title}</span>
        {readOnly ? null : <IconButton icon="trash" label={`Remove ${title}`} onClick={onRemove} />}
      </div>
      <div className={styles.grid}>
        {Object.entries(DELEGATE_FIELDS).map(([name, label]) => (
          <Cell key={name} index={index} field={name as DelegateField} label={label} />
        ))}
        <Cell index={index} field="rest" label="Other members" />
      </div>
    </fieldset>
  )
}

interface CellProps {
  index: number
  field: DelegateField
  label: string
}

function Cell({ index, field, label }: CellProps): ReactElement {
  const { readOnly, faults, onEdit } = useFormParts()
  const { register } = useFormContext<FormValues>()
  const name = `delegates.${index}.${field}` as const
  const input = register(name, { onChange: () => onEdit(name) })
  return (
    <div className={field === 'agent_id' ? styles.whole : styles.half}>
      <Field id={controlId(name)} label={label} fault={faultOf(faults, name)}>
        {(control) =>
          field === 'rest' ? (
            <TextArea
              {...control}
              {...input}
              rows={1}
              className={inputsStyles.grows}
              readOnly={readOnly}
              placeholder="{ }"
            />
          ) : (
            <TextInput
              {...control}
              {...input}
              tall
              readOnly={readOnly}
              mono={field !== 'name' && field !== 'capabilities'}
            />
          )
        }
      </Field>
    </div>
  )
}
