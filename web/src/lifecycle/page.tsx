import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactElement, useMemo, useRef } from 'react'
import { describe } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { plural } from '../shared/format.ts'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { DEFAULT_SORT } from '../shared/search.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { Button, Kbd } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { SearchField, SortMenu } from '../shared/ui/list-tools.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { PageHead } from '../shared/ui/page.tsx'
import { Failed, State } from '../shared/ui/states.tsx'
import { Board } from './board.tsx'
import styles from './lifecycle.module.css'
import { countsQuery } from './queries.ts'
import type { LifecycleSearch } from './search.ts'

const route = getRouteApi('/lifecycle')

export function LifecyclePage(): ReactElement {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(countsQuery(search))
  const off = useOff('agent:lifecycle')
  const isFiltered =
    search.q !== undefined || search.evaluation !== undefined || search.protection_statuses !== undefined
  const change = (next: LifecycleSearch): void => void navigate({ search: next, replace: true })
  return (
    <div className={pageStyles.page}>
      <PageHead
        title="Lifecycle"
        note={
          data === undefined
            ? undefined
            : `${data.approximate ? 'at least ' : ''}${plural(data.count, 'agent')}`
        }
      >
        <span className="sm t3 row col-mid">
          {off === false ? (
            <>
              Drag a card, or press <Kbd>M</Kbd>
            </>
          ) : (
            <>
              <Icon name="lock" size="s" />
              {off}
            </>
          )}
        </span>
        <PhoneLiveState />
      </PageHead>
      <Filters search={search} onChange={change} />
      {error !== null && data === undefined ? (
        <Failed
          title="The board could not be loaded"
          failure={describe(error)}
          onRetry={() => void refetch()}
        />
      ) : data?.count === 0 ? (
        <Nothing isFiltered={isFiltered} onClear={() => change({})} />
      ) : (
        <Board search={search} facets={data} />
      )}
    </div>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }): ReactElement {
  const off = useOff('agent:write')
  if (isFiltered) {
    return (
      <State
        icon="search"
        title="No agent matches"
        actions={<Button onClick={onClear}>Clear the filters</Button>}
      >
        No agent of your team has all of these properties.
      </State>
    )
  }
  return (
    <State
      icon="lifecycle"
      title="No agents yet"
      actions={
        off === false ? (
          <Link to="/agents/new" className={join(buttonStyles.button, buttonStyles.primary)}>
            Create the first agent
          </Link>
        ) : undefined
      }
    >
      New agents begin as Registered. Move them on as they pass tests, hardening and reviews.
    </State>
  )
}

interface FiltersProps {
  search: LifecycleSearch
  onChange: (search: LifecycleSearch) => void
}

export function Filters({ search, onChange }: FiltersProps): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: '/', label: 'Search', group: 'Lifecycle', run: () => input.current?.focus() }],
    [],
  )
  useKeys(shortcuts)
  const { q, evaluation, protection_statuses, sort } = search
  const set = (changed: { [Name in keyof LifecycleSearch]: LifecycleSearch[Name] | undefined }): void =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    )
  return (
    <div className={join(pageStyles.filters, pageStyles.line, styles.filters, 'wrap')}>
      <SearchField fieldRef={input} value={q ?? ''} onSearch={(text) => set({ q: text.trim() })} />
      <Button
        variant="quiet"
        icon="clock"
        on={evaluation !== undefined}
        onClick={() => set({ evaluation: evaluation === undefined ? 'outdated' : undefined })}
      >
        Outdated only
      </Button>
      <Button
        variant="quiet"
        icon="alert"
        on={protection_statuses !== undefined}
        onClick={() =>
          set({ protection_statuses: protection_statuses === undefined ? 'unprotected' : undefined })
        }
      >
        Unprotected only
      </Button>
      <span className="sp" />
      <SortMenu sort={sort ?? DEFAULT_SORT} onSort={(next) => set({ sort: next })} />
    </div>
  )
}
