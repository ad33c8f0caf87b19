import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { useMedia } from '../../shared/media.ts'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import styles from './delegation.module.css'
import { DelegationTable } from './delegation-table.tsx'
import { isAlone, toGraph } from './graph.ts'
import { Legend } from './legend.tsx'
import { NoDelegations } from './no-delegations.tsx'
import { SidePanel } from './side-panel.tsx'
import { type Depth, Toolbar, type View } from './toolbar.tsx'
import { LIMITS } from './words.ts'

const GraphView = lazy(async () => ({ default: (await import('./graph-view.tsx')).GraphView }))

const route = getRouteApi('/agents/$id/delegation')
const DEPENDENTS = 50

export function DelegationPage(): ReactElement {
  const { id } = route.useParams()
  const isPhone = !useMedia('(min-width: 48rem)')
  const [view, setView] = useState<View>(isPhone ? 'table' : 'graph')
  const [depth, setDepth] = useState<Depth>('2')
  const [weakest, setWeakest] = useState(true)
  const delegation = useQuery({
    queryKey: keys.delegation(id, Number(depth)),
    queryFn: ({ signal }) => api().agents.delegation(id, { depth: Number(depth) }, { signal }),
    placeholderData: (before) => (before?.agent_id === id ? before : undefined),
  })
  const dependents = useQuery({
    queryKey: keys.dependents(id),
    queryFn: ({ signal }) => api().agents.dependents(id, { limit: DEPENDENTS }, { signal }),
  })
  const graph = useMemo(
    () => delegation.data && dependents.data && toGraph(delegation.data, dependents.data.results),
    [delegation.data, dependents.data],
  )
  const error = delegation.error ?? dependents.error
  if (graph === undefined) {
    if (error === null) return <Loading what="the delegations" />
    const retry = (): void => {
      void delegation.refetch()
      void dependents.refetch()
    }
    return <Failed title="The delegations could not be loaded" failure={describe(error)} onRetry={retry} />
  }
  const limits = (delegation.data?.limits ?? []).map((limit) => LIMITS[limit] ?? limit)
  const note = <NotWhole limits={limits} moreDependents={dependents.data?.next_cursor !== null} />
  if (isAlone(graph)) {
    return (
      <div className={styles.main}>
        {note}
        <NoDelegations id={id} />
      </div>
    )
  }
  return (
    <div className={styles.page}>
      <div className={styles.main}>
        <Toolbar
          {...{ graph, view, depth, weakest }}
          onView={setView}
          onDepth={setDepth}
          onWeakest={setWeakest}
        />
        {note}
        {view === 'table' ? (
          <DelegationTable graph={graph} weakest={weakest} />
        ) : (
          <div className={styles.stage}>
            <Suspense fallback={<Loading what="the graph" />}>
              <GraphView graph={graph} weakest={weakest} />
            </Suspense>
            <Legend graph={graph} weakest={weakest} />
          </div>
        )}
      </div>
      <SidePanel graph={graph} />
    </div>
  )
}

interface NotWholeProps {
  limits: readonly string[]
  moreDependents: boolean
}

function NotWhole({ limits, moreDependents }: NotWholeProps): ReactElement | null {
  if (limits.length === 0 && !moreDependents) return null
  return (
    <p className={join(styles.note, 'sm t2')}>
      <Icon name="info" size="s" />
      {[
        ...(limits.length === 0 ? [] : [`Not everything is shown: ${limits.join('; ')}.`]),
        ...(moreDependents ? [`Only the first ${DEPENDENTS} agents that hand work to it are shown.`] : []),
      ].join(' ')}
    </p>
  )
}
