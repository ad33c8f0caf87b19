import { useNavigate } from '@tanstack/react-router'
import type { PalettePage } from '../palette/items.ts'
import { useServicesInTrouble } from './counts.ts'
import { DESTINATIONS } from './destinations.ts'

/** The pages of the navigation, as the palette lists them. */
export function usePalettePages(): PalettePage[] {
  const navigate = useNavigate()
  const { count: troubled } = useServicesInTrouble()
  return DESTINATIONS.map(({ to, label, icon, key }) => ({
    ...{ to, label, icon, key, open: () => void navigate({ to }) },
    note: to === '/services' && troubled > 0 ? `${troubled} in trouble` : undefined,
  }))
}
