import { type ReactElement, type ReactNode, useState } from 'react'
import { join } from './class-names.ts'
import styles from './menu.module.css'
import { onDemand } from './on-demand.tsx'

const base = onDemand(async () => (await import('@base-ui/react/popover')).Popover)

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
  const plain = base.useTrigger(trigger, 'dialog')
  if (plain !== undefined) return plain
  const BasePopover = base.parts()
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
