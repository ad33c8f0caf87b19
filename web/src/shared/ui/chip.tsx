import type { ReactElement, ReactNode } from 'react'
import styles from './chip.module.css'
import { join } from './class-names.ts'
import { Icon } from './icon.tsx'

interface ChipProps {
  /** "Status" */
  name: string
  /** "any of" */
  operator?: string
  value: ReactNode
  /** Opens the choice of this filter. */
  onOpen?: () => void
  onRemove: () => void
}

/** A filter that is on. */
export function Chip({ name, operator, value, onOpen, onRemove }: ChipProps): ReactElement {
  const text = (
    <>
      <span className={styles.name}>{name}</span>
      {operator === undefined ? null : <span className={styles.operator}>{operator}</span>}
      <span className={styles.value}>{value}</span>
    </>
  )
  return (
    <span className={styles.chip}>
      {onOpen === undefined ? (
        <span className={styles.text}>{text}</span>
      ) : (
        <button type="button" className={join(styles.text, 'focus-in')} onClick={onOpen}>
          {text}
        </button>
      )}
      <button
        type="button"
        className={join(styles.remove, 'focus-in')}
        aria-label={`Remove the filter ${name}`}
        onClick={onRemove}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  )
}
