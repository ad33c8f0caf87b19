import './activity.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { useLive } from '../../live/state.ts'
import { reconnect } from '../../live/tabs.ts'
import { plural } from '../../shared/numbers.ts'
import { formatClock, nowSeconds } from '../../shared/time.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading, Stale, State } from '../../shared/ui/states.tsx'
import { ALL, ChoiceMenu } from '../records/choice-menu.tsx'
import { fieldLabel } from '../records/fields.ts'
import { fieldsOf, shownOf } from './activity.ts'
import { ActivityRow } from './activity-row.tsx'

const route = getRouteApi('/agents/$id/activity')
const PAGE = 50

/** Past changes from the revisions; an event of the stream makes the list read the new ones. */
function useActivity(id: string) {
  return useInfiniteQuery({
    queryKey: [...keys.revisions(id), 'activity'],
    queryFn: ({ pageParam, signal }) =>
      api().agents.revisions(
        id,
        { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

export function ActivityPage(): ReactElement {
  const { id } = route.useParams()
  const query = useActivity(id)
  const live = useLive()
  const [field, setField] = useState(ALL)
  const [top, setTop] = useState<number>()
  const [openedAt] = useState(nowSeconds)
  const all = query.data?.pages.flatMap(({ results }) => results) ?? []
  const { revisions, waiting } = shownOf(all, field, top)
  if (query.data === undefined) {
    return query.isError ? (
      <Failed
        title="The activity could not be loaded"
        failure={describe(query.error)}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <Loading what="the activity" />
    )
  }
  return (
    <div className="pad col col-3">
      {live.state === 'down' ? (
        <Stale since={formatClock(live.since ?? nowSeconds())} onReconnect={reconnect} />
      ) : null}
      <Card
        title="Changes"
        flush
        aside={
          <span className="row">
            <ChoiceMenu
              icon="filter"
              label="Changed field"
              value={field}
              options={[
                { value: ALL, label: 'All fields' },
                ...fieldsOf(all).map((name) => ({ value: name, label: fieldLabel(name) })),
              ]}
              onChange={setField}
            />
            <Button
              variant="quiet"
              icon={top === undefined ? 'pause' : 'play'}
              on={top !== undefined}
              onClick={() => setTop(top === undefined ? (all[0]?.revision ?? 0) : undefined)}
            >
              {top === undefined ? 'Pause' : 'Resume'}
            </Button>
          </span>
        }
        footer={
          <>
            <span className="sm t2" role="status">
              {waiting > 0
                ? `${plural(waiting, 'newer change')} while paused`
                : plural(revisions.length, 'change')}
            </span>
            <span className="sp" />
            {query.hasNextPage ? (
              <Button
                variant="quiet"
                icon="down"
                off={query.isFetchingNextPage ? 'Loading older changes' : false}
                onClick={() => void query.fetchNextPage()}
              >
                {query.isFetchingNextPage ? 'Loading…' : 'Show older'}
              </Button>
            ) : null}
          </>
        }
      >
        {revisions.length === 0 ? (
          <State
            icon="search"
            title="No change of this field"
            actions={<Button onClick={() => setField(ALL)}>Show all fields</Button>}
          >
            None of the changes that are loaded touched it.
          </State>
        ) : (
          <ol className="list activity">
            {revisions.map((revision) => (
              <ActivityRow
                key={revision.revision}
                revision={revision}
                id={id}
                isNew={revision.changed_at > openedAt}
              />
            ))}
          </ol>
        )}
      </Card>
    </div>
  )
}
