import { Popover as BasePopover } from '@base-ui/react/popover'
import { type ReactElement, type ReactNode, useContext } from 'react'
import { join } from './class-names.ts'
import { LayerContext } from './dialog.tsx'

interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>
  title?: string
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
  children: ReactNode
}

export function Popover(props: PopoverProps): ReactElement {
  const { trigger, title, side = 'bottom', align = 'start', open, onOpenChange, className, children } = props
  const container = useContext(LayerContext)
  return (
    <BasePopover.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange: (next: boolean) => onOpenChange(next) })}
    >
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal {...(container === null ? {} : { container })}>
        <BasePopover.Positioner side={side} align={align} sideOffset={6} className="layer">
          <BasePopover.Popup className={join('pop', className)}>
            {title === undefined ? null : (
              <BasePopover.Title className="pop-title">{title}</BasePopover.Title>
            )}
            {children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  )
}
