import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip'
import { type ReactElement, type ReactNode, useContext } from 'react'
import { LayerContext } from './dialog.tsx'

interface TooltipProps {
  text: ReactNode
  children: ReactElement<Record<string, unknown>>
}

/** More about something that is already named. Never the only place of a name or a reason. */
export function Tooltip({ text, children }: TooltipProps): ReactElement {
  const container = useContext(LayerContext)
  return (
    <BaseTooltip.Root>
      <BaseTooltip.Trigger render={children} />
      <BaseTooltip.Portal {...(container === null ? {} : { container })}>
        <BaseTooltip.Positioner sideOffset={6} className="layer">
          <BaseTooltip.Popup className="tip">{text}</BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  )
}
