import type { ReactElement } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import type { IconName } from '../../shared/ui/icons.tsx'
import { Menu, MenuRadioGroup } from '../../shared/ui/menu.tsx'
import styles from './records.module.css'

interface ChoiceMenuProps {
  icon: IconName
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** The value of the choice that filters nothing. */
export const ALL = ''

/** A filter of a list of revisions. */
export function ChoiceMenu({ icon, label, value, options, onChange }: ChoiceMenuProps): ReactElement {
  const chosen = options.find((option) => option.value === value)
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon={icon} {...(value === ALL ? {} : { on: true })}>
          <span className={join(styles.filterName, 'cut')}>{chosen?.label ?? value}</span>
        </Button>
      }
    >
      <MenuRadioGroup label={label} value={value} options={options} onChange={onChange} />
    </Menu>
  )
}
