import dagre from '@dagrejs/dagre'
import type { Graph } from './graph.ts'

export const NODE = { width: 186, height: 64 }
/** Between two nodes there is room for the tag of the weakest one. */
const GAP = { x: 44, y: 36 }

export interface Place {
  x: number
  y: number
}

/**
 * Columns are steps from the agent, so that they can have headings. dagre finds the order within a column that
 * crosses fewest edges.
 */
export function layOut({ nodes, edges }: Graph): ReadonlyMap<string, Place> {
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: GAP.y, ranksep: GAP.x })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { key } of nodes) graph.setNode(key, { ...NODE })
  for (const { from, to } of edges) graph.setEdge(from, to)
  dagre.layout(graph)

  const columns = Map.groupBy(nodes, ({ column }) => column)
  const places = new Map<string, Place>()
  for (const [column, members] of columns) {
    const ordered = members.toSorted((a, b) => graph.node(a.key).y - graph.node(b.key).y)
    const height = ordered.length * NODE.height + (ordered.length - 1) * GAP.y
    for (const [index, { key }] of ordered.entries()) {
      places.set(key, {
        x: column * (NODE.width + GAP.x),
        y: index * (NODE.height + GAP.y) - height / 2,
      })
    }
  }
  return places
}

export function headings(
  { nodes }: Graph,
  places: ReadonlyMap<string, Place>,
): { column: number; label: string; at: Place }[] {
  const top = Math.min(...[...places.values()].map(({ y }) => y))
  const columns = [...Map.groupBy(nodes, ({ column }) => column)].toSorted(([a], [b]) => a - b)
  return columns.map(([column, members]) => ({
    column,
    label: headingOf(column, members.length),
    at: { x: column * (NODE.width + GAP.x), y: top - 44 },
  }))
}

function headingOf(column: number, count: number): string {
  if (column === -1) return `Hand work to it · ${count}`
  if (column === 0) return 'This agent'
  return column === 1 ? `It hands work to · ${count}` : `Step ${column} · ${count}`
}

export interface Size {
  width: number
  height: number
}

export interface Viewport extends Place {
  zoom: number
}

/** Zoom between which the graph stays readable. */
export const ZOOM = { min: 0.2, max: 1.5 }
/** Around the graph, in pixels. */
const MARGIN = 24

/**
 * Shows the whole graph, never enlarged: in the middle between left and right, and at the top, where the columns have
 * their headings.
 */
export function fitInto(canvas: Size, places: Iterable<Place>, node: Size): Viewport {
  const all = [...places]
  const left = Math.min(...all.map(({ x }) => x))
  const top = Math.min(...all.map(({ y }) => y))
  const width = Math.max(...all.map(({ x }) => x)) + node.width - left
  const height = Math.max(...all.map(({ y }) => y)) + node.height - top
  const fits = Math.min((canvas.width - 2 * MARGIN) / width, (canvas.height - 2 * MARGIN) / height)
  const zoom = Math.max(ZOOM.min, Math.min(1, fits))
  // Whole pixels, so that hairlines are sharp.
  const x = Math.round((canvas.width - width * zoom) / 2 - left * zoom)
  return { x, y: Math.round(MARGIN - top * zoom), zoom }
}
