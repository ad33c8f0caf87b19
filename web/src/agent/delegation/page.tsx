import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useMemo, useState } from 'react'
import { api, keys } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { plural } from '../../shared/format.ts'
import { useMedia } from '../../shared/media.ts'
import badgesStyles from '../../shared/ui/badges.module.css'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import buttonStyles from '../../shared/ui/button.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { Segments } from '../../shared/ui/inputs.tsx'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { controlId, DELEGATES } from '../fields/table.ts'
import styles from './delegation.module.css'
import { DelegationTable } from './delegation-table.tsx'
import { type Graph, isAlone, LIMITS, toGraph } from './graph.ts'
import { SidePanel } from './side-panel.tsx'

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
          graph={graph}
          view={view}
          depth={depth}
          weakest={weakest}
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

export type View = 'graph' | 'table'

const DEPTHS = ['1', '2', '3'] as const
export type Depth = (typeof DEPTHS)[number]

interface ToolbarProps {
  graph: Graph
  view: View
  depth: Depth
  weakest: boolean
  onView: (view: View) => void
  onDepth: (depth: Depth) => void
  onWeakest: (weakest: boolean) => void
}

export function Toolbar(props: ToolbarProps): ReactElement {
  const { graph, view, depth, weakest, onView, onDepth, onWeakest } = props
  const unknown = graph.nodes.filter(({ kind }) => kind !== 'agent').length
  return (
    <div className={styles.toolbar}>
      <Segments
        label="Shown as"
        value={view}
        options={[
          { value: 'graph', label: 'Graph', icon: 'graph' },
          { value: 'table', label: 'Table', icon: 'table' },
        ]}
        onChange={onView}
      />
      <span className="row">
        <span className="t2">Depth</span>
        <Segments
          label="Depth"
          value={depth}
          options={DEPTHS.map((value) => ({ value, label: value }))}
          onChange={onDepth}
        />
      </span>
      <Button icon="alert" on={weakest} onClick={() => onWeakest(!weakest)}>
        Weakest path
      </Button>
      <span className="sp" />
      <span className="sm t2" role="status">
        {plural(graph.nodes.length - unknown, 'agent')}
        {unknown === 0 ? '' : `, ${unknown} not in this registry`}
      </span>
    </div>
  )
}

/** Explains only what the graph shows. */
export function Legend({ graph, weakest }: { graph: Graph; weakest: boolean }): ReactElement {
  return (
    <div className={styles.legend}>
      <span className={badgesStyles.badge}>
        <StageGlyph value="registered" />
        <Icon name="forward" size="xs" />
        <StageGlyph value="adapted" />
        More bars, higher stage
      </span>
      {weakest && graph.edges.some(({ isWeak }) => isWeak) ? (
        <span className={badgesStyles.badge}>
          <span className={styles.lgWeak} />
          Weakest path
        </span>
      ) : null}
      {graph.nodes.some(({ kind }) => kind === 'external') ? (
        <span className={badgesStyles.badge}>
          <span className={styles.lgUnknown} />
          Not in this registry
        </span>
      ) : null}
    </div>
  )
}

/** There is nothing to show as a graph or a table. */
export function NoDelegations({ id }: { id: string }): ReactElement {
  const off = useOff('agent:write')
  return (
    <State
      icon="graph"
      title="No delegations"
      actions={
        off === false ? (
          <Link
            to="/agents/$id/configuration"
            params={{ id }}
            hash={controlId(DELEGATES.name)}
            className={buttonStyles.button}
            preload={false}
          >
            Add agents
          </Link>
        ) : (
          <Button off={off} reason="beside">
            Add agents
          </Button>
        )
      }
    >
      It hands work to no agent, and no agent of your team hands work to it.
    </State>
  )
}
