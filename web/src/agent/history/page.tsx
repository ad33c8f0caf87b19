import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { describe } from '../../api/problem.ts'
import { type Shortcut, useKeys } from '../../shared/keys.ts'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { revisionsQuery, useAgent } from '../queries.ts'
import { CompareCard } from './compare.tsx'
import styles from './history.module.css'
import { RestoreCard } from './restore.tsx'
import type { HistorySearch } from './search.ts'
import { focusedRevision, Timeline } from './timeline.tsx'

const route = getRouteApi('/agents/$id/history')
const ONE_COLUMN = '(max-width: 63.99rem)'

export function HistoryPage(): ReactElement {
  const { id } = route.useParams()
  const agent = useAgent(id)
  const revisions = useInfiniteQuery(revisionsQuery(id))
  const error = agent.error ?? revisions.error
  if (agent.data !== undefined && revisions.data !== undefined) {
    return <History key={id} id={id} current={agent.data.revision} />
  }
  return (
    <div className={pageStyles.body}>
      <Card flush>
        {error === null ? (
          <Loading what="the history" />
        ) : (
          <Failed
            title="The history could not be loaded"
            failure={describe(error)}
            onRetry={() => void Promise.all([agent.refetch(), revisions.refetch()])}
          />
        )}
      </Card>
    </div>
  )
}

/** `current`: number of the current revision, and of all revisions: they count from 1 without a gap. */
function History({ id, current }: { id: string; current: number }): ReactElement {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [restoring, setRestoring] = useState<number>()
  const column = useRef<HTMLDivElement>(null)
  const after = search.b ?? current
  const before = search.a ?? Math.max(1, after - 1)

  const change = (next: HistorySearch): void => {
    void navigate({ search: { ...search, a: before, b: after, ...next }, replace: true, resetScroll: false })
  }
  const restore = (revision: number): void => {
    change({ a: revision, b: current })
    setRestoring(revision)
  }
  const actions = { change, restore }
  const latest = useRef(actions)
  latest.current = actions
  useKeys(useMemo(() => shortcuts(() => latest.current), []))

  const compare = (revision: number): void => {
    change({ a: Math.max(1, revision - 1), b: revision })
    if (matchMedia(ONE_COLUMN).matches) column.current?.scrollIntoView()
  }
  return (
    <div className={join(pageStyles.body, styles.columns)}>
      <Timeline
        id={id}
        current={current}
        search={search}
        picked={{ a: before, b: after }}
        onFilter={(filter) => change({ a: search.a, b: search.b, ...filter })}
        onPick={change}
        onCompare={compare}
      />
      <div className={join(styles.comparisonColumn, 'col col-4')} ref={column}>
        <CompareCard id={id} before={before} after={after} current={current} onRestore={restore} />
        {restoring === undefined ? null : (
          <RestoreCard
            key={restoring}
            id={id}
            target={restoring}
            current={current}
            onClose={() => setRestoring(undefined)}
            onRestored={(made) => {
              setRestoring(undefined)
              change({ a: made - 1, b: made })
            }}
          />
        )}
      </div>
    </div>
  )
}

interface Actions {
  change: (next: HistorySearch) => void
  restore: (revision: number) => void
}

/** They act on the revision that has the focus. */
function shortcuts(actions: () => Actions): Shortcut[] {
  const on = (run: (revision: number) => void) => () => {
    const revision = focusedRevision()
    if (revision !== undefined) run(revision)
  }
  const row = { group: 'History', atFocus: true }
  return [
    { keys: 'a', label: 'Compare from this revision', ...row, run: on((a) => actions().change({ a })) },
    { keys: 'b', label: 'Compare with this revision', ...row, run: on((b) => actions().change({ b })) },
    { keys: 'r', label: 'Restore this revision', ...row, run: on((r) => actions().restore(r)) },
  ]
}
