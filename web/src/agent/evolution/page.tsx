import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api, keys } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { CopyButton } from '../../shared/ui/copy.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { explainStatus } from './outcome.ts'
import { SeedCard } from './seed-card.tsx'
import { StatusView } from './status-view.tsx'

const route = getRouteApi('/agents/$id/evolution')

export function EvolutionPage(): ReactElement {
  const { id } = route.useParams()
  const query = useQuery({
    queryKey: keys.evolution(id),
    // A person waits for it: no repetition before the failure is shown.
    queryFn: ({ signal }) => api().evolution.status(id, { signal, maxRetries: 0 }),
    staleTime: 0,
  })
  const retry = (): void => void query.refetch()
  return (
    <div className={join(pageStyles.body, pageStyles.columns)}>
      <Card
        title="Status"
        flush
        aside={
          <Button variant="quiet" icon="retry" off={query.isFetching ? 'Loading' : false} onClick={retry}>
            Refresh
          </Button>
        }
      >
        {/* A failed refresh is told above the status that was read before. */}
        {query.isError ? <StatusFailed error={query.error} onRetry={retry} /> : null}
        {query.isPending ? <Loading what="the status" /> : null}
        {query.data === undefined ? null : <StatusView status={query.data} />}
      </Card>
      <SeedCard id={id} />
    </div>
  )
}

function StatusFailed({ error, onRetry }: { error: Error; onRetry: () => void }): ReactElement {
  const explained = explainStatus(error)
  const failure = describe(error)
  if (explained === undefined) {
    return <Failed title="The status could not be loaded" failure={failure} onRetry={onRetry} />
  }
  const line = [failure.code, failure.requestId === undefined ? undefined : `req ${failure.requestId}`]
  return (
    <State
      icon="flask"
      tone="warn"
      title={explained.title}
      actions={
        <>
          {explained.mayRetry ? (
            <Button icon="retry" onClick={onRetry}>
              Try again
            </Button>
          ) : null}
          <CopyButton
            text={[explained.title, failure.detail, ...line].filter(Boolean).join('\n')}
            label="Copy details"
            done="Details copied"
          />
        </>
      }
      note={<span className="mono t3 any-wrap">{line.filter(Boolean).join(' · ')}</span>}
    >
      {explained.text}
    </State>
  )
}
