import '@xyflow/react/dist/base.css'
import { Link } from '@tanstack/react-router'
import {
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ProtectionBadge, StageBadge } from '../../shared/ui/badges.tsx'
import { IconButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { stageNumber } from '../../shared/words.ts'
import styles from './delegation.module.css'
import { type Graph, type GraphNode, outsideText, weaknessText } from './graph.ts'
import { fitInto, headings, layOut, NODE, type Place, type Size, type Viewport, ZOOM } from './layout.ts'

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

export function HeadingNode({ data }: NodeProps): ReactElement {
  return <div className={styles.nodeHead}>{String(data['label'])}</div>
}

export function AgentNode({ data }: NodeProps): ReactElement {
  const { node, weakest } = data as { node: GraphNode; weakest: boolean }
  const content = (
    <>
      {node.stage === undefined ? null : (
        <span className={join(styles.stageBar, `st${stageNumber(node.stage)}`)} />
      )}
      <span className={join(styles.name, 'cut')} title={node.name}>
        {node.name}
      </span>
      <span className={styles.facts}>
        {node.stage === undefined ? (
          <>
            <span>{outsideText(node)}</span>
            <span className="sp" />
            <span aria-hidden="true">?</span>
          </>
        ) : (
          <>
            <StageBadge value={node.stage} />
            <span className="sp" />
            {node.protection === undefined ? null : <ProtectionBadge value={node.protection} glyphOnly />}
          </>
        )}
      </span>
    </>
  )
  const className = join(
    styles.node,
    'nopan',
    node.column === 0 && styles.self,
    node.id === null && styles.unknown,
    weakest && node.isWeak && styles.weak,
  )
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {node.id === null || node.column === 0 ? (
        <div className={className}>{content}</div>
      ) : (
        <Link to="/agents/$id/delegation" params={{ id: node.id }} className={className} preload={false}>
          {content}
        </Link>
      )}
      {weakest && node.isWeakest ? <span className={styles.tag}>Weakest: {weaknessText(node)}</span> : null}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  )
}
