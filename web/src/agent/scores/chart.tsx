import {
  type PointerEvent,
  type ReactElement,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { formatDay } from '../../shared/format.ts'
import { join } from '../../shared/ui/class-names.ts'
import {
  type CutBand,
  cutBands,
  METRICS,
  nearest,
  pointsBetween,
  type ScoredEvaluation,
} from './evaluations.ts'
import { FEW_LINES, linear, MANY_LINES, scoreScale, tickName, timeTicks } from './scale.ts'
import styles from './scores.module.css'
import type { Scores } from './use-scores.ts'

interface ChartProps {
  scores: Scores
  /** What a screen reader says; the table below has the figures. */
  label: string
  /** The evaluation under the pointer. */
  pointed: ScoredEvaluation | undefined
  onPoint: (evaluation: ScoredEvaluation | undefined) => void
}

const NARROW = 480
const LEFT = 34
const RIGHT = 8
/** The names of the bands stand above the plot, where no line runs through them. */
const TOP = 18
const AXIS = 26
/** More marks than this would run together. */
const MAX_MARKS = 60

/** Own lines instead of a chart library: the policy of the page allows no inline style. */
export function ScoreChart({ scores, label, pointed, onPoint }: ChartProps): ReactElement {
  const [frame, width] = useWidth()
  const ids = useId()
  const { evaluations, from, to } = scores
  const isNarrow = width < NARROW
  const height = isNarrow ? 150 : 232
  const plot = { left: LEFT, right: Math.max(LEFT + 1, width - RIGHT), top: TOP, bottom: height - AXIS }
  const lines = METRICS.map((each) => ({
    ...each,
    points: pointsBetween(evaluations, each.metric, from, to),
  }))
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value))
  const scale = scoreScale(values, isNarrow ? FEW_LINES : MANY_LINES)
  const x = linear([from, to], [plot.left, plot.right])
  const y = linear([scale.floor, scale.top], [plot.bottom, plot.top])
  const bands = cutBands(scores.bands, from, to).map((band) => ({
    ...band,
    x: x(band.from),
    end: x(band.to),
  }))
  const shown = evaluations.filter(({ completed_at: at }) => at >= from && at <= to)
  const main = lines[0]
  const marks =
    shown.length > MAX_MARKS ? [] : shown.filter(({ scores: has }) => has.overall_score !== undefined)

  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const at = linear(
      [plot.left, plot.right],
      [from, to],
    )(event.clientX - event.currentTarget.getBoundingClientRect().left)
    onPoint(nearest(shown, at))
  }
  return (
    <div ref={frame} className={styles.frame}>
      {width === 0 ? null : (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={label}
          onPointerMove={point}
          onPointerLeave={() => onPoint(undefined)}
        >
          <defs>
            <Hatch id={`${ids}hatch`} />
            <clipPath id={`${ids}held`}>
              {gaps(bands, plot.left, plot.right).map(([start, end]) => (
                <rect key={start} x={start} y={0} width={end - start} height={height} />
              ))}
            </clipPath>
            <clipPath id={`${ids}outdated`}>
              {bands.map((band) => (
                <rect key={band.from} x={band.x} y={0} width={band.end - band.x} height={height} />
              ))}
            </clipPath>
          </defs>
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line x1={plot.left} x2={plot.right} y1={y(tick)} y2={y(tick)} className={styles.gridLine} />
              <text x={plot.left - 8} y={y(tick) + 4} textAnchor="end" className={styles.axis}>
                {tickName(tick, scale)}
              </text>
            </g>
          ))}
          {timeTicks(from, to, isNarrow ? 2 : 5).map((at, index, ticks) => (
            <text
              key={at}
              x={x(at)}
              y={height - 7}
              textAnchor={index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle'}
              className={styles.axis}
            >
              {formatDay(at)}
            </text>
          ))}
          {bands.map((band, index) => (
            <g key={band.from}>
              <rect {...box(band, plot)} className={styles.hatchGround} />
              <rect {...box(band, plot)} fill={`url(#${ids}hatch)`} />
              {band.isOpen ? null : (
                <line x1={band.x} x2={band.x} y1={plot.top} y2={plot.bottom} className={styles.bandEdge} />
              )}
              {hasRoom(bands, index) ? (
                <text
                  {...(plot.right - band.x < 28 ? { x: plot.right, textAnchor: 'end' } : { x: band.x })}
                  y={plot.top - 6}
                  className={styles.bandLabel}
                >
                  {nameOf(band)}
                </text>
              ) : null}
            </g>
          ))}
          {lines.toReversed().map(({ metric, line, points }) => {
            const path = points
              .map(({ at, value }, n) => `${n === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`)
              .join('')
            return (
              <g key={metric}>
                <path d={path} className={join(styles.series, styles[line])} clipPath={`url(#${ids}held)`} />
                <path
                  d={path}
                  className={join(styles.series, styles[line])}
                  strokeDasharray="2 4"
                  clipPath={`url(#${ids}outdated)`}
                />
              </g>
            )
          })}
          {pointed === undefined ? null : (
            <line
              x1={x(pointed.completed_at)}
              x2={x(pointed.completed_at)}
              y1={plot.top}
              y2={plot.bottom}
              className={styles.marker}
            />
          )}
          {marks.map((each) => (
            <circle
              key={each.evaluation_id}
              cx={x(each.completed_at)}
              cy={y(each.scores.overall_score ?? 0)}
              r={each === pointed ? 4.5 : 3.25}
              className={join(styles.point, main && styles[main.line])}
            />
          ))}
        </svg>
      )}
    </div>
  )
}

export function Hatch({ id }: { id: string }): ReactElement {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line x1="0" y1="0" x2="0" y2="6" className={styles.hatchLine} />
    </pattern>
  )
}

interface Placed {
  x: number
  end: number
}

function box(band: Placed, plot: { top: number; bottom: number }) {
  return { x: band.x, y: plot.top, width: band.end - band.x, height: plot.bottom - plot.top }
}

/** The spans between the bands, where the score held. */
function gaps(bands: readonly Placed[], left: number, right: number): [number, number][] {
  const edges = [left, ...bands.flatMap(({ x, end }) => [x, end]), right]
  const spans: [number, number][] = []
  for (let index = 0; index < edges.length; index += 2) {
    const [start = left, end = right] = [edges[index], edges[index + 1]]
    if (end > start) spans.push([start, end])
  }
  return spans
}

function nameOf({ revision, isOpen }: CutBand): string {
  return isOpen ? `since r${revision}` : `r${revision}`
}

const LETTER_WIDTH = 6
const NAME_GAP = 12

/** The name of a band may reach over its edge, but not into the name of the next one. */
function hasRoom(bands: readonly (Placed & CutBand)[], index: number): boolean {
  const [band, next] = [bands[index], bands[index + 1]]
  if (band === undefined || next === undefined) return band !== undefined
  return next.x - band.x >= nameOf(band).length * LETTER_WIDTH + NAME_GAP
}

/** The width of an element in pixels; 0 before it is known. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    setWidth(Math.round(element.clientWidth))
    const observer = new ResizeObserver(() => setWidth(Math.round(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
