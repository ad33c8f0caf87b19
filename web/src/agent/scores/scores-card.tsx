import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, type ReactNode, useId, useState } from 'react'
import { describe } from '../../api/problem.ts'
import { formatDate, formatScore, plural } from '../../shared/format.ts'
import { Absent, EvaluationBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Segments } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { Hatch, ScoreChart } from './chart.tsx'
import { METRICS, type ScoredEvaluation } from './evaluations.ts'
import styles from './scores.module.css'
import { type Range, type Scores, useScores } from './use-scores.ts'

const RANGES = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: 'all', label: 'All' },
] as const

interface ScoresCardProps {
  result: AgentResult
  /** At the right of the header. */
  aside?: ReactNode
}

export function ScoresCard({ result, aside }: ScoresCardProps): ReactElement {
  const [chosen, setChosen] = useState<Range>()
  const { range, scores, error, retry } = useScores(result.agent.id, chosen)
  const latest = scores?.evaluations.at(-1)
  // Without an evaluation there is no span to choose and no list to open.
  const isEmpty = scores !== undefined && latest === undefined
  return (
    <section className={pageStyles.card}>
      <header className={pageStyles.wrappingHead}>
        <h2>Scores</h2>
        {latest !== undefined && scores !== undefined ? <Validity result={result} scores={scores} /> : null}
        <span className="sp" />
        {isEmpty ? null : (
          <>
            <Segments label="Span of time" value={range} options={RANGES} onChange={setChosen} />
            {aside}
          </>
        )}
      </header>
      {error !== null ? (
        <Failed title="The scores could not be loaded" failure={describe(error)} onRetry={retry} />
      ) : scores === undefined ? (
        <Loading what="the scores" rows={5} />
      ) : latest !== undefined ? (
        <Content scores={scores} latest={latest} range={range} />
      ) : (
        <State
          icon="flask"
          title="Never evaluated"
          note={
            <span className="sm t3 col-mid">
              Recorded by <span className="mono">POST /v1/agent-configurations/{'{id}'}/evaluations</span>
            </span>
          }
        >
          The scores appear here as soon as an evaluation of this agent is recorded.
        </State>
      )}
    </section>
  )
}

/** Since which revision the latest score no longer holds. */
function Validity({ result, scores }: { result: AgentResult; scores: Scores }): ReactElement | null {
  const evaluation = result.agent.latest_evaluation
  if (evaluation?.current !== false) {
    return <EvaluationBadge value="current" className="sm" />
  }
  const band = scores.bands.at(-1)
  const behind = result.revision - (evaluation.revision ?? result.revision)
  const since = band === undefined ? '' : ` since r${band.revision}`
  return (
    <EvaluationBadge value="outdated" className="sm">
      {since}
      {behind > 0 ? <span className="col-mid">, {plural(behind, 'revision')} behind</span> : null}
    </EvaluationBadge>
  )
}

interface ContentProps {
  scores: Scores
  latest: ScoredEvaluation
  range: Range
}

function Content({ scores, latest, range }: ContentProps): ReactElement {
  const [pointed, setPointed] = useState<ScoredEvaluation>()
  const hatch = useId()
  const { evaluations } = scores
  const shown = pointed ?? latest
  const before = evaluations[evaluations.indexOf(shown) - 1]
  return (
    <div className={join(pageStyles.inset, 'col col-3')}>
      <div className="col col-1">
        <Figures shown={shown} before={before} />
        {before === undefined ? null : (
          <p className="sm t3 col-mid">
            Changes since the evaluation of r{before.revision}, completed on {formatDate(before.completed_at)}
          </p>
        )}
      </div>
      <ScoreChart scores={scores} label={labelOf(scores, range)} pointed={pointed} onPoint={setPointed} />
      <p className={join(styles.note, 'row sm t2')}>
        {pointed !== undefined ? (
          `Evaluation of r${pointed.revision}, completed on ${formatDate(pointed.completed_at)}`
        ) : scores.bands.length === 0 ? (
          `Latest evaluation: r${shown.revision}, completed on ${formatDate(shown.completed_at)}`
        ) : (
          <>
            <svg className={join(styles.key, styles.hatched)} viewBox="0 0 14 10" aria-hidden="true">
              <defs>
                <Hatch id={hatch} />
              </defs>
              <rect width="14" height="10" className={styles.hatchGround} />
              <rect width="14" height="10" fill={`url(#${hatch})`} />
            </svg>
            <span>
              Score no longer held: a behaviour-bearing field had changed. The label is the revision that did
              it.
              {scores.complete ? '' : ' The history is long: older bands are not drawn.'}
            </span>
          </>
        )}
      </p>
    </div>
  )
}

function labelOf({ evaluations, bands, to }: Scores, range: Range): string {
  const span = range === 'all' ? 'since the first evaluation' : `over ${range} days`
  const open = bands.at(-1)
  const outdated =
    open === undefined || open.to < to ? '' : ` The latest no longer holds since revision ${open.revision}.`
  return `Scores ${span}, ${plural(evaluations.length, 'evaluation')}.${outdated} The Scores tab lists them in a table.`
}

interface FiguresProps {
  /** The evaluation whose scores are shown, and the one before it. */
  shown: ScoredEvaluation
  before: ScoredEvaluation | undefined
}

/** The legend of the chart, with the scores and how they changed. */
function Figures({ shown, before }: FiguresProps): ReactElement {
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
            <dd className="row wrap base">
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
