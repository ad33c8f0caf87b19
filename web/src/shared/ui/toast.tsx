import {
  type ReactElement,
  type ReactPortal,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from './button.tsx'
import { useTopDialog } from './dialog-stack.ts'
import { Icon } from './icon.tsx'

export interface ToastContent {
  text: string
  /** It did not work: stays until it is closed. */
  fault?: boolean
  action?: { label: string; run: () => void }
}

const SHOWN_MS = 6000
const listeners = new Set<() => void>()
let current: ToastContent | undefined

/** One at a time: a new one takes the place of the old one. */
export function toast(content: ToastContent | undefined): void {
  current = content
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ToastRegion(): ReactPortal {
  const shown = useSyncExternalStore(subscribe, () => current)
  useEffect(() => {
    if (shown === undefined || shown.fault === true) return undefined
    const timer = setTimeout(() => toast(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [shown])
  const region = useRef<HTMLDivElement>(null)
  const layer = useTopDialog() ?? document.body
  // Above all else, also above the dialog that it is inside of.
  useLayoutEffect(() => {
    // The dialog was closed together with the message: it is shown again in the next layer.
    if (region.current?.isConnected !== true) return
    if (shown !== undefined) region.current.hidePopover()
    region.current.showPopover()
  }, [shown, layer])
  return createPortal(
    <div ref={region} className="toasts" popover="manual" role="status" aria-live="polite">
      {shown === undefined ? null : <Toast {...shown} onClose={() => toast(undefined)} />}
    </div>,
    layer,
  )
}

export function Toast({
  text,
  fault = false,
  action,
  onClose,
}: ToastContent & { onClose: () => void }): ReactElement {
  return (
    <div className="toast">
      <span className="row">
        <Icon name={fault ? 'alert' : 'check'} size="s" />
        {text}
      </span>
      <span className="sp" />
      {action === undefined ? null : (
        <Button
          onClick={() => {
            onClose()
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      {fault || action === undefined ? (
        <IconButton icon="close" label="Close the message" onClick={onClose} />
      ) : null}
    </div>
  )
}
