import type { RecordedEvaluation } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { rowsOf } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { formatScore } from '../../shared/format.ts'
import { Absent, EvaluationBadge } from '../../shared/ui/badges.tsx'
import { MoreButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import tableStyles from '../../shared/ui/table.module.css'
import { Column, Table } from '../../shared/ui/table.tsx'
import { fieldLabel } from '../fields/labels.ts'
import { evaluationsQuery, useAgent } from '../queries.ts'
import { METRICS } from './evaluations.ts'
import styles from './scores.module.css'
import { ScoresCard } from './scores-card.tsx'

const route = getRouteApi('/agents/$id/scores')

export function ScoresPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data } = useAgent(id)
  if (data === undefined) return null
  return (
    <div className={join(pageStyles.body, 'col col-4')}>
      <ScoresCard key={id} result={data} />
      <Evaluations id={id} revision={data.revision} />
    </div>
  )
}

function Evaluations({ id, revision }: { id: string; revision: number }): ReactElement | null {
  const query = useInfiniteQuery(evaluationsQuery(id))
  const evaluations = rowsOf(query.data)
  if (query.data !== undefined && evaluations.length === 0) return null
  return (
    <Card
      flush
      title="Evaluations"
      aside={<span className="sm t3">newest first</span>}
      {...(query.hasNextPage
        ? {
            footer: (
              <MoreButton query={query} variant="plain" icon={undefined}>
                Show earlier evaluations
              </MoreButton>
            ),
          }
        : {})}
    >
      {query.data !== undefined ? (
        <EvaluationTable agentId={id} current={revision} evaluations={evaluations} />
      ) : query.error === null ? (
        <Loading what="the evaluations" />
      ) : (
        <Failed
          title="The evaluations could not be loaded"
          failure={describe(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
    </Card>
  )
}

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
