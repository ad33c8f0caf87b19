import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { rowsOf } from '../api/list.ts'
import { describe } from '../api/problem.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { plural } from '../shared/numbers.ts'
import { formatClock } from '../shared/time.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { MoreButton } from '../shared/ui/more-button.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { PageHead } from '../shared/ui/page.tsx'
import { Failed, Loading, Stale, State } from '../shared/ui/states.tsx'
import styles from './audit.module.css'
import { EventTable } from './event-table.tsx'
import { ExportButton } from './export-button.tsx'
import { FilterBar, type SearchChange } from './filter-bar.tsx'
import { useAuditEvents } from './queries.ts'

const route = getRouteApi('/audit')

export function AuditPage(): ReactElement {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [paused, setPaused] = useState(false)
  const query = useAuditEvents(search, paused)
  const events = rowsOf(query.data)
  const isFollowing = !paused && (query.data?.pages.length ?? 0) <= 1
  const isFiltered = Object.keys(search).length > 0
  const retry = (): void => void query.refetch()
  const change = (changed: SearchChange): void => {
    const next = Object.fromEntries(
      Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined),
    )
    void navigate({ search: next })
  }
  return (
    <div className={join(pageStyles.page, styles.page)}>
      <PageHead
        title="Audit"
        note={
          events.length === 0 ? undefined : (
            <>
              {plural(events.length, 'event')} <span className="col-mid">shown</span>
            </>
          )
        }
      >
        {isFollowing ? <PhoneLiveState of={query.isError ? 'down' : 'live'} /> : null}
        <Button
          variant="quiet"
          icon={paused ? 'play' : 'pause'}
          on={paused}
          onClick={() => setPaused(!paused)}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <ExportButton search={search} />
      </PageHead>
      <FilterBar search={search} onChange={change} events={events} />
      {query.isError && query.data !== undefined ? (
        <div className={join(pageStyles.notices, pageStyles.ends)}>
          <Stale since={formatClock(Math.floor(query.dataUpdatedAt / 1000))} onReconnect={retry} />
        </div>
      ) : null}
      {query.data === undefined ? (
        query.isError ? (
          <Failed title="The audit log could not be loaded" failure={describe(query.error)} onRetry={retry} />
        ) : (
          <Loading what="audit events" />
        )
      ) : events.length > 0 ? (
        <EventTable events={events} />
      ) : (
        <Nothing
          isFiltered={isFiltered}
          hasMore={query.hasNextPage}
          onClear={() => void navigate({ search: {} })}
        />
      )}
      {query.data === undefined ? null : (
        <footer className={pageStyles.dock}>
          <span className="sm t2">
            {query.hasNextPage ? `${plural(events.length, 'event')} shown, newest first` : 'No older events'}
          </span>
          <span className="sp" />
          <MoreButton query={query}>{events.length === 0 ? 'Search further back' : 'Show older'}</MoreButton>
        </footer>
      )}
    </div>
  )
}

interface NothingProps {
  isFiltered: boolean
  /** The console examines at most 10,000 events for a page: older ones may match. */
  hasMore: boolean
  onClear: () => void
}

function Nothing({ isFiltered, hasMore, onClear }: NothingProps): ReactElement {
  if (!isFiltered) {
    return (
      <State icon="audit" title="Nothing is recorded yet">
        Changes of agents, reads of secrets, exports and refused requests will appear here.
      </State>
    )
  }
  return (
    <State
      icon="search"
      title={hasMore ? 'No match among the newest events' : 'No event matches'}
      actions={<Button onClick={onClear}>Clear the filters</Button>}
    >
      {hasMore
        ? 'Older events were not examined yet. Search further back below, or change the filters.'
        : 'No event of your team has all of these properties.'}
    </State>
  )
}
