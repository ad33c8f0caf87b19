import { useNavigate, useRouter } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { describe } from '../api/problem.ts'
import { useMay } from '../auth/permissions.ts'
import { DRAWER, PHONE, RAIL, useMedia } from '../shared/media.ts'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { Failed, Loading } from '../shared/ui/states.tsx'
import { useFleetSearch, useOpenAgent } from './address.ts'
import { FleetCards } from './cards.tsx'
import { useChangesOfDay, useCounts } from './counts.ts'
import { Facets, FacetsDrawer, useFacetsShown } from './facets.tsx'
import { openFilterMenu } from './filter-menu.tsx'
import styles from './fleet.module.css'
import { Head } from './head.tsx'
import { restartList, useList } from './list.ts'
import type { ListHandle } from './list-parts.tsx'
import { useLiveRows, usePeople } from './live-rows.ts'
import { NoAgents } from './no-agents.tsx'
import { fleetSearch } from './search.ts'
import { useSelection } from './selection.ts'
import { Summary } from './summary.tsx'
import { FleetTable } from './table.tsx'
import { PhoneBar, Toolbar } from './toolbar.tsx'
import { useFleetKeys } from './use-fleet-keys.ts'

/** Nothing is selected at first: the code is fetched after the page. */
const BulkActions = lazy(async () => ({ default: (await import('./bulk/actions.tsx')).BulkActions }))
const NO_FILTERS = {}
const ACTIVE = { statuses: ['active' as const] }

export function FleetPage(): ReactElement {
  const address = useFleetSearch()
  const { search, filters, sort, columns, go } = address
  const [phone, rail, drawer] = [useMedia(PHONE), useMedia(RAIL), useMedia(DRAWER)]
  const tags = columns.includes('agent_metadata.tags')
  const question = useMemo(() => ({ filters, sort, tags }), [filters, sort, tags])
  const { query, rows, loadedAt } = useList(question)
  const counts = useCounts(filters)
  const all = useCounts(NO_FILTERS)
  const active = useCounts(ACTIVE)
  const day = useChangesOfDay()

  const handle = useRef<ListHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const [cursor, setCursor] = useState<string>()
  const [facetsShown, toggleFacets, hideFacets] = useFacetsShown(drawer)
  const [searching, setSearching] = useState(search['q'] !== undefined)
  const selection = useSelection(rows)
  const changes = useLiveRows(rows, handle)
  const peopleOf = usePeople(rows, changes, day)

  const navigate = useNavigate()
  const { basepath } = useRouter()
  const hrefOf = useCallback((id: string) => `${basepath}/agents/${id}`, [basepath])
  const open = useOpenAgent(rows, address.text, counts?.count)
  const create = useCallback(() => void navigate({ to: '/agents/new' }), [navigate])
  const importJson = (): void => void navigate({ to: '/agents/new', hash: 'import' })
  const mayCreate = useMay('agent:write')
  useFleetKeys({
    rows,
    cursor,
    onCursor: setCursor,
    handle,
    selection,
    field,
    onFilter: openFilterMenu,
    onCreate: mayCreate ? create : undefined,
  })

  const { fetchNextPage } = query
  const more = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])
  const since = loadedAt ?? Number.POSITIVE_INFINITY
  const listKey = JSON.stringify([filters, sort])
  const list = {
    rows,
    total: counts?.count,
    cursor,
    peopleOf,
    hrefOf,
    handle,
    selection: selection.selection,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
    busy: query.isFetching,
    failure: query.isFetchNextPageError ? describe(query.error) : undefined,
    listKey,
    onMore: more,
    onOpen: open,
    onToggle: selection.toggle,
    onCursor: setCursor,
  }
  const facets = <Facets counts={counts} search={search} go={go} />
  return (
    <div className={join(pageStyles.page, styles.page)}>
      <Head
        counts={counts}
        all={all}
        filters={filters}
        phone={phone}
        created={changes.created.filter((at) => at > since).length}
        old={(changes.missedAt ?? 0) > since}
        onReload={() => void restartList(question)}
        onCreate={create}
        onImport={importJson}
        onSearch={() => setSearching(!searching)}
      />
      {phone ? (
        <PhoneBar
          address={address}
          all={all}
          searching={searching}
          fieldRef={field}
          onFilter={toggleFacets}
        />
      ) : (
        <>
          <Summary all={all} active={active} changes={day} search={search} />
          <Toolbar
            address={address}
            counts={counts}
            facetsShown={facetsShown}
            fieldRef={field}
            onFacets={toggleFacets}
          />
        </>
      )}
      <div className={facetsShown && !drawer ? styles.fleet : join(styles.fleet, styles.noFacets)}>
        {facetsShown && !drawer ? (
          <aside className={styles.facets} aria-label="Filters">
            {facets}
          </aside>
        ) : null}
        <div className={styles.table}>
          {query.isPending ? <Loading what="agents" rows={14} /> : null}
          {query.isError && query.data === undefined ? (
            <Failed
              title="The agents could not be loaded"
              failure={describe(query.error)}
              onRetry={() => void query.refetch()}
            />
          ) : null}
          {query.isSuccess && rows.length === 0 ? (
            <NoAgents search={search} counts={counts} onCreate={create} onImport={importJson} />
          ) : null}
          {rows.length === 0 ? null : phone ? (
            <FleetCards {...list} />
          ) : (
            <FleetTable
              {...list}
              columns={rail ? columns.filter((id) => id !== 'model_name') : columns}
              sort={sort}
              onSort={(next) => go(fleetSearch({ ...search, sort: next }))}
              onSelectAll={(select) => (select ? selection.select(rows) : selection.clear())}
            />
          )}
          <Suspense fallback={null}>
            <BulkActions
              query={query}
              rows={rows}
              total={counts?.count}
              listKey={listKey}
              selection={selection}
            />
          </Suspense>
        </div>
      </div>
      <FacetsDrawer open={drawer && facetsShown} address={address} count={counts?.count} onClose={hideFacets}>
        {facets}
      </FacetsDrawer>
    </div>
  )
}
