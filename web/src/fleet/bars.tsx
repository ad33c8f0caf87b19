import type { ReactElement } from 'react'
import styles from './fleet.module.css'

const GAP = 3
const WIDTH = 600
/** A part that exists is seen, however small it is. */
const LEAST = 2.4

interface Part {
  size: number
  tone: string | undefined
}

/** Shares of a whole, side by side. The figures below it say the same. */
export function Bar({ parts }: { parts: readonly Part[] }): ReactElement {
  const present = parts.filter(({ size }) => size > 0)
  const total = present.reduce((sum, { size }) => sum + size, 0)
  const room = WIDTH - GAP * Math.max(0, present.length - 1)
  let x = 0
  return (
    <svg className={styles.bar} viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      {total === 0 ? <rect width={WIDTH} height="8" className={styles.fLine} /> : null}
      {present.map(({ size, tone }, index) => {
        const width = Math.max(LEAST, (size / total) * room)
        const at = x
        x += width + GAP
        return <rect key={index} x={at} y="0" width={width} height="8" className={tone} />
      })}
    </svg>
  )
}

const BAR = 6
const STEP = 8.4
const HEIGHT = 28

/** One bar per part of the time; the last one is now. */
export function Bars({ values }: { values: readonly number[] }): ReactElement {
  const most = Math.max(1, ...values)
  return (
    <svg className={styles.spark} viewBox="0 0 200 28" preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const height = Math.max(0.6, (value / most) * (HEIGHT - 2))
        const tone = index === values.length - 1 ? styles.fAcc : styles.fMute
        return (
          <rect
            key={index}
            x={index * STEP}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            rx="1"
            className={tone}
          />
        )
      })}
    </svg>
  )
}
