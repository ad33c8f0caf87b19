import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Moves the focus to the title of a new page if what had it has gone: a screen reader begins there. */
export function useTitleFocus(): void {
  const router = useRouter()
  useEffect(() => {
    let stop = (): void => undefined
    const leave = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (fromLocation === undefined || !pathChanged) return
      stop()
      stop = focusTitle()
    })
    return () => {
      leave()
      stop()
    }
  }, [router])
}

/** A page that cannot be shown says why below a title of its own. */
const TITLE = 'main h1, main h3[tabindex]'

/** Waits for the title: the page of an agent has one when the agent is loaded. Returns how to stop. */
function focusTitle(): () => void {
  const observer = new MutationObserver(tryFocus)
  function tryFocus(): void {
    const title = document.querySelector<HTMLElement>(TITLE)
    if (document.activeElement === document.body && title === null) return
    observer.disconnect()
    if (document.activeElement === document.body) title?.focus({ preventScroll: true })
  }
  observer.observe(document.body, { childList: true, subtree: true })
  tryFocus()
  return () => observer.disconnect()
}
