import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { rowsOf } from '../../api/list.ts'
import { describe } from '../../api/problem.ts'
import { join } from '../../shared/ui/class-names.ts'
import { MoreButton } from '../../shared/ui/more-button.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { useAgent } from '../queries.ts'
import { evaluationsQuery } from '../records/queries.ts'
import { EvaluationTable } from './evaluation-table.tsx'
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
