import '@xyflow/react/dist/base.css'
import {
  type Edge,
  MarkerType,
  type Node,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import styles from './delegation.module.css'
import type { Graph } from './graph.ts'
import { AgentNode, HeadingNode } from './graph-nodes.tsx'
import { headings, layOut, NODE, type Place } from './layout.ts'
import { fitInto, type Size, type Viewport, ZOOM } from './viewport.ts'

const NODE_TYPES = { agent: AgentNode, heading: HeadingNode }

interface GraphViewProps {
  graph: Graph
  /** Show the weakest path. */
  weakest: boolean
}

/** Fetched when the graph is first shown: the library is larger than the rest of the page. */
export function GraphView(props: GraphViewProps): ReactElement {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  )
}

function Flow({ graph, weakest }: GraphViewProps): ReactElement {
  const nodes = useMemo(() => toNodes(graph, weakest), [graph, weakest])
  const edges = useMemo(() => toEdges(graph, weakest), [graph, weakest])
  const canvas = useRef<HTMLDivElement>(null)
  const fit = (): Viewport => fitInto(sizeOf(canvas.current), positionsOf(nodes), NODE)
  const [start, setStart] = useState<Viewport>()
  // The size is known only now; the graph is drawn before the browser paints.
  useLayoutEffect(() => setStart(fit()), [])
  return (
    <div ref={canvas} className={styles.canvas}>
      {start === undefined ? null : (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          defaultViewport={start}
          minZoom={ZOOM.min}
          maxZoom={ZOOM.max}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
          aria-label="Graph of the delegations. The table shows the same."
        >
          <Tools fit={fit} />
        </ReactFlow>
      )}
    </div>
  )
}

function sizeOf(element: HTMLElement | null): Size {
  return { width: element?.clientWidth ?? 0, height: element?.clientHeight ?? 0 }
}

function positionsOf(nodes: readonly Node[]): Place[] {
  return nodes.map(({ position }) => position)
}

function Tools({ fit }: { fit: () => Viewport }): ReactElement {
  const { zoomIn, zoomOut, setViewport } = useReactFlow()
  return (
    <div className={join(styles.tools, 'nopan')}>
      <IconButton icon="add" label="Zoom in" onClick={() => void zoomIn()} />
      <IconButton icon="minus" label="Zoom out" onClick={() => void zoomOut()} />
      <IconButton icon="expand" label="Show all" onClick={() => void setViewport(fit())} />
    </div>
  )
}

function toNodes(graph: Graph, weakest: boolean): Node[] {
  const places = layOut(graph)
  // Edges leave on the right and arrive on the left, as the layout runs.
  const sides = { sourcePosition: Position.Right, targetPosition: Position.Left }
  return [
    ...headings(graph, places).map(({ column, label, at }) => ({
      ...sides,
      id: `heading:${column}`,
      type: 'heading',
      position: at,
      data: { label },
      width: NODE.width,
    })),
    ...graph.nodes.map((node) => ({
      ...sides,
      id: node.key,
      type: 'agent',
      position: places.get(node.key) ?? { x: 0, y: 0 },
      data: { node, weakest },
      ...NODE,
    })),
  ]
}

function toEdges({ edges }: Graph, weakest: boolean): Edge[] {
  return edges.map(({ key, from, to, isWeak }) => {
    const isRed = isWeak && weakest
    const color = isRed ? 'var(--danger)' : 'var(--control)'
    return {
      id: key,
      source: from,
      target: to,
      className: join(isRed ? styles.weakEdge : styles.edge),
      ...(isRed ? { ariaLabel: 'On the weakest path', zIndex: 1 } : {}),
      markerEnd: { type: MarkerType.ArrowClosed, color, width: isRed ? 12 : 16, height: isRed ? 12 : 16 },
    }
  })
}
