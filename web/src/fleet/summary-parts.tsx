import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { formatCount } from '../shared/numbers.ts'
import type { Search } from '../shared/search.ts'
import { formatClock } from '../shared/time.ts'
import type { DayOfChanges } from './audit-day.ts'
import { Bars } from './bars.tsx'

export function Title({ text, children }: { text: string; children: ReactNode }): ReactElement {
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
export function Figure({ glyph, count, word, search, on, warn = false }: FigureProps): ReactElement {
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

export function Changes({ changes }: { changes: DayOfChanges | undefined }): ReactElement {
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
