import { type ReactElement, type ReactNode } from 'react'
import { join } from './class-names.ts'
import { Icon, type IconProps } from './icon.tsx'
import { Kbd } from './kbd.tsx'
import styles from './menu.module.css'
import { onDemand } from './on-demand.tsx'

const base = onDemand(async () => (await import('@base-ui/react/menu')).Menu)

interface MenuProps {
  /** A Button or IconButton; the menu makes it open. */
  trigger: ReactElement<Record<string, unknown>>
  align?: 'start' | 'end'
  children: ReactNode
}

export function Menu({ trigger, align = 'end', children }: MenuProps): ReactElement {
  const plain = base.useTrigger(trigger, 'menu')
  if (plain !== undefined) return plain
  const BaseMenu = base.parts()
  return (
    <BaseMenu.Root modal={false} defaultOpen>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner align={align} sideOffset={4} className={styles.layer}>
          <BaseMenu.Popup className={styles.menu}>{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

interface MenuItemProps {
  icon?: IconProps['name']
  shortcut?: string
  danger?: boolean
  /** Why the item is off; it names the missing permission. */
  off?: string | false
  onSelect: () => void
  children: ReactNode
}

export function MenuItem({
  icon,
  shortcut,
  danger,
  off = false,
  onSelect,
  children,
}: MenuItemProps): ReactElement {
  const isOff = typeof off === 'string'
  const BaseMenu = base.parts()
  return (
    <BaseMenu.Item
      className={join(styles.item, danger === true && 'danger-t', isOff && styles.off)}
      {...(isOff ? { 'aria-disabled': true, closeOnClick: false } : { onClick: onSelect })}
    >
      {icon === undefined ? null : <Icon name={icon} size="s" />}
      <span className="grow">
        {children}
        {isOff ? <span className={styles.reason}>{off}</span> : null}
      </span>
      {shortcut === undefined ? null : <Kbd>{shortcut}</Kbd>}
    </BaseMenu.Item>
  )
}

interface MenuCheckItemProps {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

/** Stays open, so that several can be chosen: columns of a table. */
export function MenuCheckItem({ checked, onChange, children }: MenuCheckItemProps): ReactElement {
  const BaseMenu = base.parts()
  return (
    <BaseMenu.CheckboxItem
      className={styles.item}
      checked={checked}
      onCheckedChange={onChange}
      closeOnClick={false}
    >
      <span className={styles.check}>{checked ? <Icon name="check" size="xs" /> : null}</span>
      <span className="grow">{children}</span>
    </BaseMenu.CheckboxItem>
  )
}

interface MenuRadioProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: ReactNode }[]
  onChange: (value: Value) => void
}

/** One of several: the order of a list, a theme. */
export function MenuRadioGroup<Value extends string>(props: MenuRadioProps<Value>): ReactElement {
  const { label, value, options, onChange } = props
  const BaseMenu = base.parts()
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className={styles.heading}>{label}</BaseMenu.GroupLabel>
      <BaseMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)}>
        {options.map((option) => (
          <BaseMenu.RadioItem key={option.value} value={option.value} className={styles.item} closeOnClick>
            <span className={styles.check}>
              {option.value === value ? <Icon name="check" size="xs" /> : null}
            </span>
            <span className="grow">{option.label}</span>
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.RadioGroup>
    </BaseMenu.Group>
  )
}

export function MenuSeparator(): ReactElement {
  const BaseMenu = base.parts()
  return <BaseMenu.Separator className={styles.separator} />
}
