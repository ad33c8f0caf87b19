import { type ReactElement, type ReactNode, useContext, useState } from 'react'
import { join } from './class-names.ts'
import { LayerContext } from './dialog.tsx'
import { onDemand } from './on-demand.tsx'

const base = onDemand(async () => (await import('@base-ui/react/popover')).Popover)

interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>
  title?: string
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
  className?: string
  /** The function gets a way to close the popover. A key opens it by a click on the trigger. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

export function Popover(props: PopoverProps): ReactElement {
  const { trigger, title, side = 'bottom', align = 'start', className, children } = props
  const container = useContext(LayerContext)
  const [open, setOpen] = useState(true)
  const plain = base.useTrigger(trigger, 'dialog')
  if (plain !== undefined) return plain
  const BasePopover = base.parts()
  return (
    <BasePopover.Root open={open} onOpenChange={(next) => setOpen(next)}>
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal {...(container === null ? {} : { container })}>
        <BasePopover.Positioner side={side} align={align} sideOffset={6} className="layer">
          <BasePopover.Popup className={join('pop', className)}>
            {title === undefined ? null : (
              <BasePopover.Title className="pop-title">{title}</BasePopover.Title>
            )}
            {typeof children === 'function' ? children(() => setOpen(false)) : children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  )
}
