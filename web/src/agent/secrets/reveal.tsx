import { type ReactElement, useCallback, useEffect, useState } from 'react'
import { join } from '../../shared/ui/class-names.ts'
import styles from './secrets.module.css'

interface SecretValueProps {
  mask: string | null
  reveal: Reveal
}

const RADIUS = 13
const AROUND = 2 * Math.PI * RADIUS
const ALL_S = 30

export function SecretValue({ mask, reveal: { value, secondsLeft } }: SecretValueProps): ReactElement {
  if (value === undefined) {
    return (
      <div className={styles.secret}>
        {mask === null ? (
          <span className="t3 grow">not set</span>
        ) : (
          <>
            <span className="mono grow">{mask}</span>
            <span className="sm t3">masked</span>
          </>
        )}
      </div>
    )
  }
  const left = (secondsLeft / ALL_S) * AROUND
  return (
    <div className={join(styles.secret, styles.shown)}>
      <span className="mono grow">{value}</span>
      <span className="hid" role="timer">
        Hidden again in {secondsLeft} seconds
      </span>
      <svg className={styles.ring} viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r={RADIUS} className={styles.ringAll} />
        <circle
          cx="16"
          cy="16"
          r={RADIUS}
          className={styles.ringLeft}
          strokeDasharray={`${left} ${AROUND}`}
          transform="rotate(-90 16 16)"
        />
        <text x="16" y="20" textAnchor="middle" className={styles.ringText}>
          {secondsLeft}
        </text>
      </svg>
    </div>
  )
}

const SHOWN_S = 30

interface Shown {
  value: string
  /** performance.now() at which the value is hidden again. */
  until: number
}

interface Reveal {
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
