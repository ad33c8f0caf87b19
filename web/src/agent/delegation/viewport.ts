import type { Place } from './layout.ts'

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
