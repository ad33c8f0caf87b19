import { useState } from 'react'

const KEY = 'facets'

/** Beside the table they are open until they are closed, also the next time; as a drawer only on demand. */
export function useFacetsShown(drawer: boolean): [shown: boolean, toggle: () => void, hide: () => void] {
  const [beside, setBeside] = useState(() => localStorage.getItem(KEY) !== 'closed')
  const [over, setOver] = useState(false)
  const toggle = (): void => {
    if (drawer) {
      setOver(!over)
      return
    }
    if (beside) localStorage.setItem(KEY, 'closed')
    else localStorage.removeItem(KEY)
    setBeside(!beside)
  }
  return [drawer ? over : beside, toggle, () => setOver(false)]
}
