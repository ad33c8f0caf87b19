import {
  type FocusEvent,
  type ReactElement,
  type ReactPortal,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
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
let current: (ToastContent & { id: number }) | undefined
let count = 0

/** One at a time: a new one takes the place of the old one. */
export function toast(content: ToastContent | undefined): void {
  count += 1
  current = content === undefined ? undefined : { ...content, id: count }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ToastRegion(): ReactPortal {
  const shown = useSyncExternalStore(subscribe, () => current)
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
      {shown === undefined ? null : <PassingToast key={shown.id} {...shown} />}
    </div>,
    layer,
  )
}

/** Goes by itself, but not while the pointer or the focus is on it. */
function PassingToast(content: ToastContent): ReactElement {
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const before = useRef<HTMLElement>(null)
  const stays = content.fault === true || pointed || focused
  useEffect(() => {
    if (stays) return undefined
    const timer = setTimeout(() => toast(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [stays])
  const onFocus = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    setFocused(true)
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) {
      before.current = relatedTarget
    }
  }
  return (
    <div
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={onFocus}
      onBlur={() => setFocused(false)}
    >
      <Toast
        {...content}
        onClose={() => {
          toast(undefined)
          // The button that had the focus is gone: work goes on where it was.
          if (focused) before.current?.focus()
        }}
      />
    </div>
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
