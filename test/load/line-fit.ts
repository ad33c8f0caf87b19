export interface Line {
  slope: number
  /** Of the slope: two thirds of all repetitions differ by less. */
  standardError: number
}

/** The line through points with the least squares of vertical distances. */
export function fitLine(points: [x: number, y: number][]): Line {
  const count = points.length
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const sum = (of: (dx: number, dy: number) => number) =>
    points.reduce((total, [x, y]) => total + of(x - meanX, y - meanY), 0)
  const spread = sum((dx) => dx * dx)
  const slope = sum((dx, dy) => dx * dy) / spread
  const residual = sum((dx, dy) => (dy - slope * dx) ** 2)
  return { slope, standardError: Math.sqrt(residual / (count - 2) / spread) }
}
