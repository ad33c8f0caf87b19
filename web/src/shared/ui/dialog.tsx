import { lazy, type ReactElement, Suspense } from 'react'
import type { DialogProps } from './modal.tsx'

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
