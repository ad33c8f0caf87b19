import type { ReactElement } from 'react'
import styles from './badges.module.css'

const RING = { cx: 8, cy: 8, r: 5.25, fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } as const
const LINE = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const
const HALF = <path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" />

interface Glyph {
  tone: string
  shape: ReactElement
}

/** Each state has its own silhouette, so that colour never carries the meaning alone. */
export const STATUS_GLYPHS: Record<string, Glyph> = {
  draft: { tone: 'g-mute', shape: <circle {...RING} strokeDasharray="2.2 2" /> },
  creating: {
    tone: 'g-acc',
    shape: (
      <>
        <circle {...RING} opacity=".3" />
        <path {...LINE} strokeWidth={2} d="M8 2.75A5.25 5.25 0 0 1 13.25 8" />
      </>
    ),
  },
  active: { tone: 'g-ok', shape: <circle cx="8" cy="8" r="5" fill="currentColor" /> },
  under_review: {
    tone: 'g-warn',
    shape: (
      <>
        <circle {...RING} />
        {HALF}
      </>
    ),
  },
  pending: {
    tone: 'g-warn',
    shape: (
      <>
        <circle {...RING} />
        <path {...LINE} d="M8 5v3.2l2 1.3" />
      </>
    ),
  },
  deprecated: {
    tone: 'g-mute',
    shape: (
      <>
        <circle {...RING} />
        <path {...LINE} d="M8 5.2v5M5.9 8.3 8 10.4l2.1-2.1" />
      </>
    ),
  },
  archived: {
    tone: 'g-mute',
    shape: (
      <>
        <rect x="2.5" y="3" width="11" height="3.2" rx=".8" fill="currentColor" />
        <path {...LINE} d="M3.6 7.2v4.6a1 1 0 0 0 1 1h6.8a1 1 0 0 0 1-1V7.2" />
      </>
    ),
  },
  rejected: {
    tone: 'g-danger',
    shape: (
      <>
        <circle cx="8" cy="8" r="5.9" fill="currentColor" />
        <path className={styles.onMark} d="m5.9 5.9 4.2 4.2M10.1 5.9 5.9 10.1" />
      </>
    ),
  },
}

const SHIELD = 'M8 1.9 13 3.7v4c0 3.1-2.1 5.3-5 6.4-2.9-1.1-5-3.3-5-6.4v-4z'

export const PROTECTION_GLYPHS: Record<string, Glyph> = {
  guarded: {
    tone: 'g-ok',
    shape: (
      <>
        <path d={SHIELD} fill="currentColor" />
        <path className={styles.onMark} d="m5.6 8 1.7 1.7 3.2-3.5" />
      </>
    ),
  },
  configured: {
    tone: 'g-mute',
    shape: (
      <>
        <path {...LINE} d={SHIELD} />
        <path d="M8 2.2v11.6C5.3 12.6 3.3 10.6 3.3 7.7V3.9z" fill="currentColor" />
      </>
    ),
  },
  unprotected: {
    tone: 'g-warn',
    shape: (
      <>
        <path {...LINE} d={SHIELD} strokeDasharray="2.6 1.9" />
        <path {...LINE} strokeWidth={1.6} d="M8 5v3.4M8 10.6v.05" />
      </>
    ),
  },
}

/** Of services and of the live connection. */
export const STATE_GLYPHS: Record<string, Glyph> = {
  ok: { tone: 'g-ok', shape: <circle cx="8" cy="8" r="5" fill="currentColor" /> },
  half: {
    tone: 'g-warn',
    shape: (
      <>
        <circle {...RING} />
        {HALF}
      </>
    ),
  },
  warning: {
    tone: 'g-warn',
    shape: (
      <>
        <path d="M8 1.8 14.5 13.4h-13z" fill="currentColor" />
        <path className={styles.onMark} d="M8 6v3.4M8 11.4v.1" />
      </>
    ),
  },
  failed: STATUS_GLYPHS['rejected'] as Glyph,
  starting: STATUS_GLYPHS['creating'] as Glyph,
  off: STATUS_GLYPHS['draft'] as Glyph,
}

const STEPS = [0, 1, 2, 3, 4, 5] as const

/** A bar with round corners, as a path: two elements for six bars, because tables draw many of them. */
const BARS = STEPS.map((step) => {
  const side = 3.2 + step * 1.5
  return `M${(1 + step * 2.42).toFixed(2)} ${(10.2 - step * 1.5).toFixed(1)}a.6.6 0 0 1 .6-.6h.55a.6.6 0 0 1 .6.6v${side}a.6.6 0 0 1-.6.6h-.55a.6.6 0 0 1-.6-.6z`
})

/** Six rising bars, as many filled as the stage: 1 to 6. */
export function stageBars(stage: number): ReactElement {
  return (
    <>
      <path d={BARS.slice(0, stage).join('')} fill="currentColor" />
      {stage === BARS.length ? null : <path d={BARS.slice(stage).join('')} className="off" />}
    </>
  )
}
