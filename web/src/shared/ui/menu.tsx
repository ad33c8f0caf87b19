import { cloneElement, type ReactElement, type ReactNode, useState } from 'react'
import { Kbd } from './button.tsx'
import { join } from './class-names.ts'
import { Icon, type IconProps } from './icon.tsx'
import styles from './menu.module.css'

const menuParts = onDemand(async () => (await import('@base-ui/react/menu')).Menu)

interface MenuProps {
  /** A Button or IconButton; the menu makes it open. */
  trigger: ReactElement<Record<string, unknown>>
  align?: 'start' | 'end'
  children: ReactNode
}

export function Menu({ trigger, align = 'end', children }: MenuProps): ReactElement {
  const plain = menuParts.useTrigger(trigger, 'menu')
  if (plain !== undefined) return plain
  const BaseMenu = menuParts.parts()
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
  const BaseMenu = menuParts.parts()
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
  const BaseMenu = menuParts.parts()
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
  const BaseMenu = menuParts.parts()
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
  const BaseMenu = menuParts.parts()
  return <BaseMenu.Separator className={styles.separator} />
}

const popoverParts = onDemand(async () => (await import('@base-ui/react/popover')).Popover)

interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>
  title?: string
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
  className?: string | undefined
  /** The function gets a way to close the popover. A key opens it by a click on the trigger. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

export function Popover(props: PopoverProps): ReactElement {
  const { trigger, title, side = 'bottom', align = 'start', className, children } = props
  const [open, setOpen] = useState(true)
  const plain = popoverParts.useTrigger(trigger, 'dialog')
  if (plain !== undefined) return plain
  const BasePopover = popoverParts.parts()
  return (
    <BasePopover.Root open={open} onOpenChange={(next) => setOpen(next)}>
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal>
        <BasePopover.Positioner side={side} align={align} sideOffset={6} className={styles.layer}>
          <BasePopover.Popup className={join(styles.popover, className)}>
            {title === undefined ? null : (
              <BasePopover.Title className={styles.title}>{title}</BasePopover.Title>
            )}
            {typeof children === 'function' ? children(() => setOpen(false)) : children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  )
}

type Trigger = ReactElement<Record<string, unknown>>

interface OnDemand<Parts> {
  /** Fetches the code; a later call gets the same. */
  load: () => Promise<Parts>
  /** Throws before it is loaded. */
  parts: () => Parts
  /** The plain trigger until its first click, then undefined: the caller renders the real one, open at first. */
  useTrigger: (trigger: Trigger, popup: 'menu' | 'dialog') => Trigger | undefined
}

/** Code of menus and popovers is fetched when a pointer or the focus reaches the first trigger, not with the page. */
function onDemand<Parts>(fetchParts: () => Promise<Parts>): OnDemand<Parts> {
  let loading: Promise<Parts> | undefined
  let loaded: Parts | undefined
  const load = (): Promise<Parts> => {
    loading ??= fetchParts().then((parts) => {
      loaded = parts
      return parts
    })
    return loading
  }
  return {
    load,
    parts: () => {
      if (loaded === undefined) throw new Error('not loaded yet')
      return loaded
    },
    useTrigger: (trigger, popup) => {
      const [used, setUsed] = useState(false)
      if (used) return undefined
      const preload = (): void => void load()
      return cloneElement(trigger, {
        'aria-haspopup': popup,
        'aria-expanded': false,
        onPointerEnter: preload,
        onFocus: preload,
        onClick: () => void load().then(() => setUsed(true)),
      })
    },
  }
}
