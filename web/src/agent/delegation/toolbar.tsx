import type { ReactElement } from 'react'
import { plural } from '../../shared/numbers.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Segments } from '../../shared/ui/inputs.tsx'
import styles from './delegation.module.css'
import type { Graph } from './graph.ts'

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
