import type { ReactElement, ReactNode } from 'react'
import { Button } from '../shared/ui/button.tsx'
import chipStyles from '../shared/ui/chip.module.css'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Popover } from '../shared/ui/popover.tsx'
import styles from './audit.module.css'

interface FilterProps {
  name: string
  /** Between name and value; a time says it itself. */
  operator?: 'is' | undefined
  /** What is chosen, in words; undefined: the filter is off. */
  value: string | undefined
  onRemove: () => void
  children: (close: () => void) => ReactNode
}

/** A button that adds the filter; once chosen, a chip that changes and removes it. */
export function Filter({ name, operator, value, onRemove, children }: FilterProps): ReactElement {
  const trigger =
    value === undefined ? (
      <Button variant="quiet" icon="add">
        {name}
      </Button>
    ) : (
      <button type="button" className={join(chipStyles.text, 'focus-in')}>
        <span className={chipStyles.name}>{name}</span>
        {operator === undefined ? null : <span className={chipStyles.operator}>{operator}</span>}
        <span className={chipStyles.value}>{value}</span>
      </button>
    )
  const popover = (
    <Popover trigger={trigger} title={`Filter by ${name.toLowerCase()}`} className={styles.filterPopover}>
      {children}
    </Popover>
  )
  if (value === undefined) return popover
  return (
    <span className={chipStyles.chip}>
      {popover}
      <button
        type="button"
        className={join(chipStyles.remove, 'focus-in')}
        aria-label={`Remove the filter ${name.toLowerCase()}`}
        onClick={onRemove}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  )
}
