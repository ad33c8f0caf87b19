import type { AgentFacets } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { formatClock, formatCount, formatShare } from '../shared/format.ts'
import type { Search } from '../shared/search.ts'
import { ProtectionGlyph, StageGlyph } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { PROTECTION, STAGES, stageNumber, words } from '../shared/words.ts'
import { countOf, countsOf, type DayOfChanges } from './counts.ts'
import { valuesOf, withoutFilters } from './search.ts'
import styles from './summary.module.css'

interface SummaryProps {
  /** Of the whole fleet, archived agents left out. */
  all: AgentFacets | undefined
  /** Of its active agents. */
  active: AgentFacets | undefined
  /** null: the tile is not shown, because the audit log may not be read. */
  changes: DayOfChanges | null | undefined
  search: Search
}

const TRUSTED = ['trusted', 'optimized', 'adapted']
const TONES: Record<string, string | undefined> = {
  guarded: styles.fOk,
  configured: styles.fMute,
  unprotected: styles.fWarn,
}

/** The whole fleet at a glance. Each figure is a link to the agents that it counts. */
export function Summary({ all, active, changes, search }: SummaryProps): ReactElement {
  const stages = countsOf(all, 'trust_stages')
  const protection = countsOf(active, 'protection_statuses')
  const outdated = countOf(all, 'evaluation', 'outdated') ?? 0
  const evaluated = outdated + (countOf(all, 'evaluation', 'current') ?? 0)
  const trusted = stages.filter(({ value }) => TRUSTED.includes(value))
  // The figures of protection count active agents only.
  const isOnlyActive = valuesOf(search, 'statuses').join() === 'active'
  const to = (filters: Search): Search => ({ ...withoutFilters(search), ...filters })
  return (
    <section
      className={join(styles.strip, changes === null && styles.threeTiles)}
      aria-label="Summary of the fleet"
    >
      <div>
        <Title text="Trust stage">{`${formatShare(sum(trusted), sum(stages))} trusted or above`}</Title>
        <Bar
          parts={stages.map(({ value, count }) => ({
            size: count,
            tone: styles[`fSt${stageNumber(value)}`],
          }))}
        />
        <div className={styles.legend}>
          {stages.map(({ value, count }) => (
            <Figure
              key={value}
              glyph={<StageGlyph value={value} />}
              count={count}
              word={words(STAGES, value)}
              search={to({ trust_stages: [value] })}
              on={valuesOf(search, 'trust_stages').includes(value)}
            />
          ))}
        </div>
      </div>
      <div>
        <Title text="Protection">active agents</Title>
        <Bar
          parts={byProtection(protection).map(({ value, count }) => ({ size: count, tone: TONES[value] }))}
        />
        <div className={styles.legend}>
          {byProtection(protection).map(({ value, count }) => (
            <Figure
              key={value}
              glyph={<ProtectionGlyph value={value} />}
              count={count}
              word={words(PROTECTION, value)}
              warn={value === 'unprotected' && count > 0}
              search={to({ statuses: ['active'], protection_statuses: [value] })}
              on={isOnlyActive && valuesOf(search, 'protection_statuses').includes(value)}
            />
          ))}
        </div>
      </div>
      <div>
        <h2>Outdated evaluations</h2>
        <div className="row base">
          <span className="big">{formatCount(outdated)}</span>
          <span className="sm t2">of {formatCount(evaluated)} evaluated</span>
        </div>
        <span className="sm t3">
          {formatShare(outdated, evaluated)} ·{' '}
          <Link to="/agents" search={to({ evaluation: ['outdated'] })} activeProps={{}} className="link">
            Show them
          </Link>
        </span>
      </div>
      {changes === null ? null : <Changes changes={changes} />}
    </section>
  )
}

/** The API lists the weakest protection first; the bar begins with the strongest. */
function byProtection(counts: readonly { value: string; count: number }[]) {
  const order = Object.keys(PROTECTION)
  return counts.toSorted((a, b) => order.indexOf(a.value) - order.indexOf(b.value))
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

function Title({ text, children }: { text: string; children: ReactNode }): ReactElement {
  return (
    <div className="row base">
      <h2>{text}</h2>
      <span className="sp" />
      <span className="sm t3">{children}</span>
    </div>
  )
}

interface FigureProps {
  glyph: ReactElement
  count: number
  word: string
  search: Search
  /** The list shows these agents. */
  on: boolean
  warn?: boolean
}

/** A figure that leads to the agents that it counts. */
function Figure({ glyph, count, word, search, on, warn = false }: FigureProps): ReactElement {
  return (
    <Link
      to="/agents"
      search={search}
      activeProps={{}}
      title={`Show ${word.toLowerCase()} agents`}
      {...(on ? { 'aria-current': 'true' } : {})}
    >
      {glyph}
      <b className={warn ? 'warn-t' : ''}>{formatCount(count)}</b>
      <span>{word}</span>
    </Link>
  )
}

function Changes({ changes }: { changes: DayOfChanges | undefined }): ReactElement {
  const shown = changes === undefined ? '' : `${formatCount(changes.count)}${changes.more ? '+' : ''}`
  return (
    <div>
      <Title text={changes?.more === true ? 'Latest changes' : 'Changes in 24 h'}>
        <Link
          to="/audit"
          search={changes === undefined ? {} : { since: changes.from }}
          className="link"
          title="Changes of agents in the newest 500 events of the audit log. Open the audit log"
        >
          {shown}
        </Link>
      </Title>
      <Bars values={changes?.bars ?? []} />
      <span className="row sm t3">
        <span>{changes === undefined ? '' : dayAndClock(changes.from)}</span>
        <span className="sp" />
        <span>now</span>
      </span>
    </div>
  )
}

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })

function dayAndClock(at: number): string {
  return `${WEEKDAY.format(new Date(at * 1000))} ${formatClock(at)}`
}

const GAP = 3
const WIDTH = 600
/** A part that exists is seen, however small it is. */
const LEAST = 2.4

interface Part {
  size: number
  tone: string | undefined
}

/** Shares of a whole, side by side. The figures below it say the same. */
export function Bar({ parts }: { parts: readonly Part[] }): ReactElement {
  const present = parts.filter(({ size }) => size > 0)
  const total = present.reduce((sum, { size }) => sum + size, 0)
  const room = WIDTH - GAP * Math.max(0, present.length - 1)
  let x = 0
  return (
    <svg className={styles.bar} viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      {total === 0 ? <rect width={WIDTH} height="8" className={styles.fLine} /> : null}
      {present.map(({ size, tone }, index) => {
        const width = Math.max(LEAST, (size / total) * room)
        const at = x
        x += width + GAP
        return <rect key={index} x={at} y="0" width={width} height="8" className={tone} />
      })}
    </svg>
  )
}

const BAR = 6
const STEP = 8.4
const HEIGHT = 28

/** One bar per part of the time; the last one is now. */
function Bars({ values }: { values: readonly number[] }): ReactElement {
  const most = Math.max(1, ...values)
  return (
    <svg className={styles.spark} viewBox="0 0 200 28" preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const height = Math.max(0.6, (value / most) * (HEIGHT - 2))
        const tone = index === values.length - 1 ? styles.fAcc : styles.fMute
        return (
          <rect
            key={index}
            x={index * STEP}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            rx="1"
            className={tone}
          />
        )
      })}
    </svg>
  )
}
