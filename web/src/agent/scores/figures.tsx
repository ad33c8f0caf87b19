import type { ReactElement } from 'react'
import { formatScore } from '../../shared/numbers.ts'
import { Absent } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { METRICS, type ScoredEvaluation } from './evaluations.ts'
import styles from './scores.module.css'

interface FiguresProps {
  /** The evaluation whose scores are shown, and the one before it. */
  shown: ScoredEvaluation
  before: ScoredEvaluation | undefined
}

/** The legend of the chart, with the scores and how they changed. */
export function Figures({ shown, before }: FiguresProps): ReactElement {
  return (
    <dl className={styles.figures}>
      {METRICS.map(({ metric, label, line }) => {
        const value = shown.scores[metric]
        const old = before?.scores[metric]
        return (
          <div key={metric} className="col col-1">
            <dt className="row sm t2">
              <svg className={styles.key} viewBox="0 0 14 8" aria-hidden="true">
                <line x1="0" x2="14" y1="4" y2="4" className={join(styles.series, styles[line])} />
                {metric === 'overall_score' ? (
                  <circle cx="7" cy="4" r="2.5" className={join(styles.point, styles[line])} />
                ) : null}
              </svg>
              {label}
            </dt>
            <dd className="row base">
              <span className="big num">{value === undefined ? <Absent /> : formatScore(value)}</span>
              {value === undefined || old === undefined ? null : <Change by={value - old} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Change({ by }: { by: number }): ReactElement {
  const text = formatScore(Math.abs(by))
  if (Number(text) === 0) {
    return (
      <span className="sm t3 num">
        ±0<span className="hid"> since the evaluation before</span>
      </span>
    )
  }
  return (
    <span className={`sm num ${by > 0 ? 'ok-t' : 'danger-t'}`}>
      {by > 0 ? '+' : '−'}
      {text}
      <span className="hid"> since the evaluation before</span>
    </span>
  )
}
