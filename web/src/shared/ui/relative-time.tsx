import { type ReactElement, useSyncExternalStore } from 'react'
import { formatIso, formatSince, formatUtc, nowSeconds } from '../format.ts'

const listeners = new Set<() => void>()
let now = nowSeconds()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all times on the page; it stands still when none is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = nowSeconds()
  timer ??= setInterval(() => {
    now = nowSeconds()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Unix time in seconds, read anew when its text changes. */
export function RelativeTime({ at }: { at: number }): ReactElement {
  const text = useSyncExternalStore(subscribe, () => formatSince(at, now))
  return (
    <time dateTime={formatIso(at)} title={formatUtc(at)}>
      {text}
    </time>
  )
}
