import { type ReactElement, type ReactNode, useId } from 'react'
import { BehaviourMark } from './badges.tsx'
import { join } from './class-names.ts'
import styles from './field.module.css'
import { Icon } from './icon.tsx'

/** What a control needs to be tied to its label, hint and fault. Spread it on the control. */
export interface ControlProps {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

interface FieldProps {
  label: string
  /** The name that the API uses, for engineers who compare. */
  apiName?: string
  hint?: ReactNode
  /** What is wrong, as a sentence. */
  fault?: string | undefined
  /** The field bears on the behaviour of the agent. */
  behaviour?: boolean
  /** Nothing can be sent without it. Screen readers read the attribute of the control. */
  required?: boolean
  /** On the right of the label. */
  action?: ReactNode
  /** The id of the control; links of a summary of faults lead to it. */
  id?: string
  children: (control: ControlProps) => ReactNode
}

export function Field({
  label,
  apiName,
  hint,
  fault,
  behaviour,
  required,
  action,
  id,
  children,
}: FieldProps): ReactElement {
  const ownId = useId()
  const controlId = id ?? ownId
  const hintId = hint === undefined ? undefined : `${controlId}-hint`
  const faultId = fault === undefined ? undefined : `${controlId}-fault`
  const describedBy = [faultId, hintId].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <div className={join('row', required === true && 'base')}>
        <label htmlFor={controlId}>
          {label}
          {behaviour === true ? <BehaviourMark /> : null}
        </label>
        {required === true ? (
          <span className="sm t3" aria-hidden="true">
            required
          </span>
        ) : null}
        {apiName === undefined ? null : <span className="mono xs t3">{apiName}</span>}
        {action === undefined ? null : (
          <>
            <span className="sp" />
            {action}
          </>
        )}
      </div>
      {children({
        id: controlId,
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
      })}
      {fault === undefined ? null : (
        <span className={styles.fault} id={faultId}>
          <Icon name="alert" size="s" />
          {fault}
        </span>
      )}
      {hint === undefined ? null : (
        <span className={styles.hint} id={hintId}>
          {hint}
        </span>
      )}
    </div>
  )
}
