import type { RecordedEvaluation } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { formatScore } from '../../shared/numbers.ts'
import { Absent } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { EvaluationBadge } from '../../shared/ui/evaluation-badge.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import tableStyles from '../../shared/ui/table.module.css'
import { Column, Table } from '../../shared/ui/table.tsx'
import { fieldLabel } from '../records/fields.ts'
import { METRICS } from './evaluations.ts'
import styles from './scores.module.css'

interface EvaluationTableProps {
  agentId: string
  /** The current revision. */
  current: number
  evaluations: readonly RecordedEvaluation[]
}

/** The figures of the chart, for the keyboard and screen readers. */
export function EvaluationTable({ agentId, current, evaluations }: EvaluationTableProps): ReactElement {
  return (
    // The keyboard scrolls a table that is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={join(styles.scroller, 'focus-in')} tabIndex={0} role="region" aria-label="Evaluations">
      <Table label="Evaluations, newest first" className={join(tableStyles.stack, styles.evaluations)}>
        <thead>
          <tr>
            <Column>Completed</Column>
            <Column>Revision</Column>
            {METRICS.map(({ metric, label }) => (
              <Column key={metric} right>
                {label}
              </Column>
            ))}
            <Column>State</Column>
          </tr>
        </thead>
        <tbody>
          {evaluations.map((evaluation) => (
            <tr key={evaluation.evaluation_id} title={`Evaluation ${evaluation.evaluation_id}`}>
              <td className="nowrap">
                <RelativeTime at={evaluation.completed_at} />
              </td>
              <td>
                <Revision agentId={agentId} revision={evaluation.revision} current={current} />
              </td>
              {METRICS.map(({ metric, label }) => (
                <td key={metric} className="r num" data-label={label}>
                  {evaluation[metric] === null ? <Absent /> : formatScore(evaluation[metric])}
                </td>
              ))}
              <td>
                <Held evaluation={evaluation} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

interface RevisionProps {
  agentId: string
  revision: number
  current: number
}

/** Leads to what has changed since. */
function Revision({ agentId, revision, current }: RevisionProps): ReactElement {
  return (
    <Link
      to="/agents/$id/history"
      params={{ id: agentId }}
      search={{ a: revision, b: current }}
      className="link mono"
      title="Compare with the current revision"
    >
      r{revision}
    </Link>
  )
}

function Held({
  evaluation: { current, outdated_by: fields },
}: {
  evaluation: RecordedEvaluation
}): ReactElement {
  if (current) return <EvaluationBadge value="current" />
  return (
    <EvaluationBadge value="outdated">
      {' '}
      <span className="t2">by {fields.map(fieldLabel).join(', ')}</span>
    </EvaluationBadge>
  )
}
