import './delegation.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { useMedia } from '../../shared/media.ts'
import { plural } from '../../shared/numbers.ts'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Segments } from '../../shared/ui/inputs.tsx'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { DelegationTable } from './delegation-table.tsx'
import { type Graph, toGraph } from './graph.ts'
import { SidePanel } from './side-panel.tsx'
import { LIMITS } from './words.ts'

const GraphView = lazy(async () => ({ default: (await import('./graph-view.tsx')).GraphView }))

const route = getRouteApi('/agents/$id/delegation')
const DEPTHS = ['1', '2', '3'] as const
const DEPENDENTS = 50

export function DelegationPage(): ReactElement {
  const { id } = route.useParams()
  const isPhone = !useMedia('(min-width: 48rem)')
  const [view, setView] = useState<'graph' | 'table'>(isPhone ? 'table' : 'graph')
  const [depth, setDepth] = useState<(typeof DEPTHS)[number]>('2')
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
  const unknown = graph.nodes.filter(({ kind }) => kind !== 'agent').length
  const limits = (delegation.data?.limits ?? []).map((limit) => LIMITS[limit] ?? limit)
  return (
    <div className="g-graph">
      <div className="graph-main">
        <div className="gbar">
          <Segments
            label="Shown as"
            value={view}
            options={[
              { value: 'graph', label: 'Graph', icon: 'graph' },
              { value: 'table', label: 'Table', icon: 'table' },
            ]}
            onChange={setView}
          />
          <span className="row">
            <span className="t2">Depth</span>
            <Segments
              label="Depth"
              value={depth}
              options={DEPTHS.map((value) => ({ value, label: value }))}
              onChange={setDepth}
            />
          </span>
          <Button icon="alert" on={weakest} onClick={() => setWeakest(!weakest)}>
            Weakest path
          </Button>
          <span className="sp" />
          <span className="sm t2" role="status">
            {plural(graph.nodes.length - unknown, 'agent')}
            {unknown === 0 ? '' : `, ${unknown} not in this registry`}
          </span>
        </div>
        {limits.length === 0 && dependents.data?.next_cursor === null ? null : (
          <p className="gnote sm t2">
            <Icon name="info" size="s" />
            {[
              ...(limits.length === 0 ? [] : [`Not everything is shown: ${limits.join('; ')}.`]),
              ...(dependents.data?.next_cursor === null
                ? []
                : [`Only the first ${DEPENDENTS} agents that hand work to it are shown.`]),
            ].join(' ')}
          </p>
        )}
        <Content graph={graph} view={view} weakest={weakest} />
      </div>
      <SidePanel graph={graph} />
    </div>
  )
}

interface ContentProps {
  graph: Graph
  view: 'graph' | 'table'
  weakest: boolean
}

function Content({ graph, view, weakest }: ContentProps): ReactElement {
  if (graph.nodes.length === 1) {
    return (
      <State icon="graph" title="No delegations">
        It hands work to no agent, and no agent of your team hands work to it. Add agents under Delegation in
        its configuration.
      </State>
    )
  }
  if (view === 'table') return <DelegationTable graph={graph} weakest={weakest} />
  return (
    <div className="stagebox">
      <Suspense fallback={<Loading what="the graph" />}>
        <GraphView graph={graph} weakest={weakest} />
      </Suspense>
      <div className="glegend">
        <span className="bd">
          <StageGlyph value="registered" />
          <Icon name="forward" size="xs" />
          <StageGlyph value="adapted" />
          More bars, higher stage
        </span>
        <span className="bd">
          <span className="lg-weak" />
          Weakest path
        </span>
        <span className="bd">
          <span className="lg-unknown" />
          Not in this registry
        </span>
      </div>
    </div>
  )
}
