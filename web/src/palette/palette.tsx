import type { ReactElement } from 'react'
import { Dialog } from '../shared/ui/dialog.tsx'

interface PaletteProps {
  onClose: () => void
  /** Opens the sheet of keys. */
  onKeys: () => void
}

export function Palette({ onClose }: PaletteProps): ReactElement {
  return (
    <Dialog open onClose={onClose} title="Search or jump to">
      …
    </Dialog>
  )
}
