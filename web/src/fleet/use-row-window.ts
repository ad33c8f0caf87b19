import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

export const ROW = 36
const HEAD = 32
/** Rows that are drawn above and below the view. */
const AROUND = 2
/** The table is at rest when it did not scroll for so long. */
const REST_MS = 150

interface View {
  /** First row in view. */
  first: number
  /** As many rows may be in view. */
  fit: number
  scrolling: boolean
}

interface RowWindow extends View {
  /** First row that is drawn, and the one after the last. Always as many, so that scrolling makes no elements. */
  from: number
  to: number
  /** Scrolls no farther than needed, and draws the row at once. */
  show: (index: number) => void
}

/** Which of `count` rows of equal height to draw. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  initialOffset: number,
): RowWindow {
  const [view, setView] = useState<View>({
    first: Math.floor(initialOffset / ROW),
    fit: Math.ceil(window.innerHeight / ROW),
    scrolling: false,
  })
  const read = useCallback(
    (scrolling: boolean) => {
      const element = scroller.current
      if (element === null) return
      const first = Math.max(0, Math.floor(element.scrollTop / ROW))
      const fit = Math.ceil((element.clientHeight - HEAD) / ROW) + 1
      setView((before) =>
        before.first === first && before.fit === fit && before.scrolling === scrolling
          ? before
          : { first, fit, scrolling },
      )
    },
    [scroller],
  )

  const start = useRef(initialOffset)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    element.scrollTop = start.current
    let timer: ReturnType<typeof setTimeout> | undefined
    const onScroll = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => read(false), REST_MS)
      // In the same frame, or the rows that came into view would be blank in it.
      flushSync(() => read(true))
    }
    const size = new ResizeObserver(() => read(false))
    size.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      size.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, read])

  const show = useCallback(
    (index: number) => {
      const element = scroller.current
      if (element === null) return
      const last = HEAD + (index + 1) * ROW - element.clientHeight
      const top = Math.min(index * ROW, Math.max(last, element.scrollTop))
      if (top !== element.scrollTop) element.scrollTop = top
      flushSync(() => read(false))
    },
    [scroller, read],
  )

  // A list that has become shorter is drawn before the browser has scrolled up.
  const first = Math.min(view.first, Math.max(0, count - view.fit))
  const from = Math.max(0, first - AROUND)
  return { ...view, first, from, to: Math.min(count, from + view.fit + 2 * AROUND), show }
}
