import '../records/styles.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe } from '../../api/problem.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { useAgent } from '../queries.ts'
import { evaluationsQuery, loadedEvaluations } from '../records/queries.ts'
import { EvaluationTable } from './evaluation-table.tsx'
import { ScoresCard } from './scores-card.tsx'

const route = getRouteApi('/agents/$id/scores')

export function ScoresPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data } = useAgent(id)
  if (data === undefined) return null
  return (
    <div className="pad col col-4">
      <ScoresCard key={id} result={data} />
      <Evaluations id={id} revision={data.revision} />
    </div>
  )
}

function Evaluations({ id, revision }: { id: string; revision: number }): ReactElement | null {
  const query = useInfiniteQuery(evaluationsQuery(id))
  const evaluations = loadedEvaluations(query.data)
  if (query.data !== undefined && evaluations.length === 0) return null
  return (
    <Card
      flush
      title="Evaluations"
      aside={<span className="sm t3">newest first</span>}
      {...(query.hasNextPage
        ? {
            footer: (
              <Button
                off={query.isFetchingNextPage && 'The request is running'}
                onClick={() => void query.fetchNextPage()}
              >
                Show earlier evaluations
              </Button>
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
