import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { api, rowsOf } from '../api/client.ts'
import { describe, toastFailure } from '../api/problem.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { formatClock, formatCount, nowSeconds, plural } from '../shared/format.ts'
import { Button, MoreButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { PageHead } from '../shared/ui/page.tsx'
import { Failed, Loading, Stale, State } from '../shared/ui/states.tsx'
import { toast } from '../shared/ui/toast.tsx'
import styles from './audit.module.css'
import { EventTable } from './event-table.tsx'
import { FilterBar, type SearchChange } from './filter-bar.tsx'
import { useAuditEvents } from './queries.ts'
import { type AuditSearch, toFilters } from './search.ts'

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

/** Events between two announcements of the count. */
const STEP = 500
const RELEASE_MS = 60_000

/** All events that match, oldest first, one JSON text a line. The export itself is recorded in the log. */
export function ExportButton({ search }: { search: AuditSearch }): ReactElement {
  const [count, setCount] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const run = async (): Promise<void> => {
    const controller = new AbortController()
    running.current = controller
    setCount(0)
    try {
      const lines: string[] = []
      // Without an end the console leaves out the newest events, for clients that continue an export later.
      const filters = { until: nowSeconds() + 1, ...toFilters(search) }
      for await (const event of api().audit.export(filters, { signal: controller.signal })) {
        lines.push(`${JSON.stringify(event)}\n`)
        if (lines.length % STEP === 0) setCount(lines.length)
      }
      save(
        new Blob(lines, { type: 'application/x-ndjson' }),
        `audit-${new Date().toISOString().slice(0, 10)}.ndjson`,
      )
      toast({ text: `${plural(lines.length, 'event')} exported` })
    } catch (error) {
      if (controller.signal.aborted) toast({ text: 'Export cancelled' })
      else toastFailure('The export failed', error)
    } finally {
      setCount(undefined)
    }
  }

  return count === undefined ? (
    <Button icon="download" onClick={() => void run()}>
      <span>
        Export <span className="col-mid">NDJSON</span>
      </span>
    </Button>
  ) : (
    <Button icon="close" onClick={() => running.current?.abort()}>
      Cancel the export · {formatCount(count)}
    </Button>
  )
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the address after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS)
}
