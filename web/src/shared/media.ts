import { useCallback, useSyncExternalStore } from 'react'

/** Whether the screen matches, such as "(max-width: 47.99rem)". */
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

/** The breakpoints of the style sheets. */
export const PHONE = '(max-width: 47.99rem)'
export const RAIL = '(max-width: 63.99rem)'
export const DRAWER = '(max-width: 79.99rem)'
/** From here on pages show all their columns. */
export const WIDE = '(min-width: 80rem)'
