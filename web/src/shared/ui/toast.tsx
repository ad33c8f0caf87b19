import { Toast as Base } from '@base-ui/react/toast'
import { type FocusEvent, type ReactElement, useRef, useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './toast.module.css'

export interface ToastContent {
  text: string
  /** It did not work: stays until it is closed. */
  fault?: boolean
  action?: { label: string; run: () => void }
}

const SHOWN_MS = 6000
/** One at a time: a new one takes the place of the old one. */
const ID = 'message'
const manager = Base.createToastManager<ToastContent>()

export function toast(content: ToastContent | undefined): void {
  manager.close(ID)
  if (content !== undefined)
    manager.add({ id: ID, data: content, timeout: content.fault === true ? 0 : SHOWN_MS })
}

const modals: HTMLElement[] = []
const listeners = new Set<() => void>()

/** From now on, until the returned function is called: what is outside of this modal cannot be reached. */
export function showMessagesIn(modal: HTMLElement): () => void {
  modals.push(modal)
  tell()
  return () => {
    modals.splice(modals.indexOf(modal), 1)
    tell()
  }
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where messages appear: above all else, also above the modal that is open. */
export function ToastRegion(): ReactElement {
  const before = useRef<HTMLElement>(null)
  const modal = useSyncExternalStore(subscribe, () => modals.at(-1))
  const keepFocus = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) {
      before.current = relatedTarget
    }
  }
  return (
    <Base.Provider toastManager={manager}>
      <Base.Portal container={modal}>
        <Base.Viewport className={styles.toasts} role="status" onFocus={keepFocus}>
          {/* The button that had the focus is gone: work goes on where it was. */}
          <Messages onClosed={() => before.current?.focus()} />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function Messages({ onClosed }: { onClosed: () => void }): ReactElement[] {
  const { toasts } = Base.useToastManager<ToastContent>()
  return toasts.flatMap((each) =>
    each.data === undefined
      ? []
      : [
          <Base.Root key={each.id} toast={each} role="group" aria-modal={undefined} tabIndex={-1}>
            <Toast
              {...each.data}
              onClose={() => {
                toast(undefined)
                onClosed()
              }}
            />
          </Base.Root>,
        ],
  )
}

export function Toast({
  text,
  fault = false,
  action,
  onClose,
}: ToastContent & { onClose: () => void }): ReactElement {
  return (
    <div className={styles.toast}>
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
