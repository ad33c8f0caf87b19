import { lazy, type ReactElement, type ReactNode, Suspense } from 'react'

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

const load = () => import('./modal.tsx')
const OpenDialog = lazy(async () => ({ default: (await load()).OpenDialog }))

/** No page opens a dialog at once: its code is fetched after the page. */
export function preloadDialog(): void {
  void load()
}

export function Dialog({ open, ...props }: DialogProps): ReactElement | null {
  return open ? (
    <Suspense fallback={null}>
      <OpenDialog {...props} />
    </Suspense>
  ) : null
}
