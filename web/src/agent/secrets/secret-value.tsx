import type { ReactElement } from 'react'
import { join } from '../../shared/ui/class-names.ts'
import styles from './secrets.module.css'
import type { Reveal } from './use-reveal.ts'

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
