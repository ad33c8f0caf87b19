import {
  createContext,
  type ReactElement,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { IconButton } from './button.tsx'
import { join } from './class-names.ts'
import { enterDialog } from './dialog-stack.ts'

/** The open dialog: menus and popovers inside it must be its children, because all else is inert. */
export const LayerContext = createContext<HTMLElement | null>(null)

interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** dialog: in the middle; drawer: at the right edge; sheet: wide, for comparing; full: for writing long texts. */
  kind?: 'dialog' | 'drawer' | 'sheet' | 'full'
  children: ReactNode
  /** The buttons; the first one does what the title says. */
  footer?: ReactNode
  /** Why it cannot be closed now. */
  held?: string | false
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes on Escape and returns the focus.
 * Give `autoFocus` to the field where work begins.
 */
export function Dialog({
  open,
  onClose,
  title,
  kind = 'dialog',
  children,
  footer,
  held = false,
}: DialogProps): ReactElement | null {
  return open ? (
    <OpenDialog onClose={onClose} title={title} kind={kind} footer={footer} held={held}>
      {children}
    </OpenDialog>
  ) : null
}

function OpenDialog(props: Omit<DialogProps, 'open'>): ReactElement {
  const { onClose, title, kind, children, footer, held = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const [layer, setLayer] = useState<HTMLElement | null>(null)
  const titleId = useId()
  const close = (): void => {
    if (held === false) onClose()
  }

  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return undefined
    const before = document.activeElement
    dialog.showModal()
    // The title, not the button that closes: a screen reader then begins with what the dialog is about.
    const start = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector('h2')
    start?.focus()
    setLayer(dialog)
    const leave = enterDialog(dialog)
    return () => {
      leave()
      dialog.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])

  return (
    // The click on the backdrop has the dialog itself as its target; Escape raises cancel.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={ref}
      className={join('dlg', kind)}
      aria-labelledby={titleId}
      // A second Escape closes it whatever the handler of cancel does.
      closedby={held === false ? undefined : 'none'}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close()
      }}
    >
      <LayerContext value={layer}>
        <div className="dlg-in">
          <header>
            <h2 id={titleId} className="lg" tabIndex={-1}>
              {title}
            </h2>
            <span className="sp" />
            <IconButton icon="close" label="Close" off={held} onClick={onClose} />
          </header>
          <div className="dlg-body">{children}</div>
          {footer === undefined ? null : <footer>{footer}</footer>}
        </div>
      </LayerContext>
    </dialog>
  )
}
