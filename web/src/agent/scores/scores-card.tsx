import type { AgentResult } from '@agent-console/sdk'
import { type ReactElement, type ReactNode, useId, useState } from 'react'
import { describe } from '../../api/problem.ts'
import { plural } from '../../shared/numbers.ts'
import { formatDate } from '../../shared/time.ts'
import { join } from '../../shared/ui/class-names.ts'
import { EvaluationBadge } from '../../shared/ui/evaluation-badge.tsx'
import { Segments } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { Hatch, ScoreChart } from './chart.tsx'
import type { ScoredEvaluation } from './evaluations.ts'
import { Figures } from './figures.tsx'
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
