import { useCallback, useSyncExternalStore } from 'react'

/** From here on pages show all their columns; the same as in breakpoints.css. */
export const WIDE = '(min-width: 64rem)'

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
