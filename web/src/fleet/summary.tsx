import type { AgentFacets } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { formatCount, formatShare } from '../shared/numbers.ts'
import type { Search } from '../shared/search.ts'
import { ProtectionGlyph, StageGlyph } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { PROTECTION, STAGES, stageNumber, words } from '../shared/words.ts'
import type { DayOfChanges } from './audit-day.ts'
import { Bar } from './bars.tsx'
import { countOf, countsOf } from './counts.ts'
import styles from './fleet.module.css'
import { valuesOf, withoutFilters } from './search.ts'
import { Changes, Figure, Title } from './summary-parts.tsx'

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
