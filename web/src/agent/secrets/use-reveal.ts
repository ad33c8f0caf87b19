import { useCallback, useEffect, useState } from 'react'

const SHOWN_S = 30

interface Shown {
  value: string
  /** performance.now() at which the value is hidden again. */
  until: number
}

export interface Reveal {
  /** In clear text; undefined: hidden. It is in this state only, in no cache and no storage. */
  value: string | undefined
  secondsLeft: number
  show: (value: string) => void
  hide: () => void
}

/** Shows a value for 30 seconds. It is hidden as soon as the tab is not visible. */
export function useReveal(): Reveal {
  const [shown, setShown] = useState<Shown>()
  const [now, setNow] = useState(0)
  const hide = useCallback(() => setShown(undefined), [])
  useEffect(() => {
    if (shown === undefined) return undefined
    const tick = (): void => {
      const at = performance.now()
      if (at >= shown.until) hide()
      else setNow(at)
    }
    const timer = setInterval(tick, 250)
    document.addEventListener('visibilitychange', hide)
    addEventListener('pagehide', hide)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', hide)
      removeEventListener('pagehide', hide)
    }
  }, [shown, hide])
  return {
    value: shown?.value,
    secondsLeft: shown === undefined ? 0 : Math.max(0, Math.ceil((shown.until - now) / 1000)),
    show: (value) => {
      const at = performance.now()
      // The tab may have been left while the request ran.
      if (document.visibilityState === 'hidden') return
      setNow(at)
      setShown({ value, until: at + SHOWN_S * 1000 })
    },
    hide,
  }
}
