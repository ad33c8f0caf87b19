import { Dialog } from '@base-ui/react/dialog'
import { type ReactElement, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { join } from './class-names.ts'
import styles from './dialog.module.css'
import { showMessagesIn } from './toast.tsx'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** dialog: in the middle; drawer: at the right edge; sheet: wide, for comparing; full: for writing long texts. */
  kind?: 'dialog' | 'drawer' | 'sheet' | 'full'
  /** `data-autofocus` marks the field where work begins. */
  children: ReactNode
  /** The buttons; the first one does what the title says. */
  footer?: ReactNode
  /** Why it cannot be closed now. */
  held?: string | false
}

interface ModalProps {
  onClose: () => void
  /** Where work begins. Absent: the element with data-autofocus, else the title. */
  initialFocus?: RefObject<HTMLElement | null>
  /** A `Dialog.Title` is part of it. */
  children: ReactNode
}

/**
 * Covers the window: keeps the focus inside, closes on Escape and on a click beside its content, returns the focus.
 * Messages are shown inside of it, because Tab does not leave it.
 */
export function Modal({ onClose, initialFocus, children }: ModalProps): ReactElement {
  const content = useRef<HTMLDivElement>(null)
  const [popup, setPopup] = useState<HTMLElement | null>(null)
  useLayoutEffect(() => (popup === null ? undefined : showMessagesIn(popup)), [popup])
  const start = (): HTMLElement | null | undefined =>
    // The title, not the button that closes: a screen reader then begins with what the dialog is about.
    content.current?.querySelector<HTMLElement>('[data-autofocus]') ?? content.current?.querySelector('h2')
  return (
    <Dialog.Root open onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} forceRender />
        <Dialog.Popup
          ref={setPopup}
          className={styles.window}
          data-modal=""
          initialFocus={initialFocus ?? start}
        >
          <div ref={content} className={styles.content}>
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export function OpenDialog(props: Omit<DialogProps, 'open'>): ReactElement {
  const { onClose, title, kind = 'dialog', children, footer, held = false } = props
  return (
    <Modal onClose={() => (held === false ? onClose() : undefined)}>
      <div className={join(styles.dialog, styles[kind])}>
        <div className={styles.frame}>
          <header>
            <Dialog.Title className="lg" tabIndex={-1}>
              {title}
            </Dialog.Title>
            <span className="sp" />
            <IconButton icon="close" label="Close" off={held} onClick={onClose} />
          </header>
          <div className={styles.body}>{children}</div>
          {footer === undefined ? null : <footer>{footer}</footer>}
        </div>
      </div>
    </Modal>
  )
}
