import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { plural } from '../shared/numbers.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Kbd } from '../shared/ui/kbd.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { PageHead } from '../shared/ui/page.tsx'
import { Failed, State } from '../shared/ui/states.tsx'
import { Board } from './board.tsx'
import { Filters } from './filters.tsx'
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
