import type { AgentFacets } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import { type ReactElement, type Ref } from 'react'
import { formatCount, plural } from '../shared/numbers.ts'
import { StageGlyph } from '../shared/ui/badges.tsx'
import buttonStyles from '../shared/ui/button.module.css'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { SearchField } from '../shared/ui/search-field.tsx'
import { SortMenu } from '../shared/ui/sort-menu.tsx'
import { STAGES, stageNumber, words } from '../shared/words.ts'
import { Bar } from './bars.tsx'
import { Chips } from './chips.tsx'
import { countsOf } from './counts.ts'
import styles from './fleet.module.css'
import { fleetSearch, textOf, withoutFilters } from './search.ts'
import type { FleetAddress } from './use-search.ts'

interface PhoneBarProps {
  address: FleetAddress
  all: AgentFacets | undefined
  searching: boolean
  fieldRef: Ref<HTMLInputElement>
  onFilter: () => void
}

/** Summary and filters of a narrow screen. */
export function PhoneBar({ address, all, searching, fieldRef, onFilter }: PhoneBarProps): ReactElement {
  const { search, filters, sort, go } = address
  const stages = countsOf(all, 'trust_stages')
  const { q: _, ...others } = filters
  const count = Object.keys(others).length
  return (
    <>
      {searching ? (
        <div className={styles.phoneSearch}>
          <SearchField
            fieldRef={fieldRef}
            value={textOf(search, 'q') ?? ''}
            onSearch={(q) => go(fleetSearch({ ...search, q }), { replace: true })}
          />
        </div>
      ) : null}
      <section className={styles.phoneSummary} aria-label="Agents by trust stage">
        <Bar
          parts={stages.map(({ value, count }) => ({
            size: count,
            tone: styles[`fSt${stageNumber(value)}`],
          }))}
        />
        <div className={join(styles.legend, styles.compact)}>
          {stages.map(({ value, count }) => (
            <Link
              key={value}
              to="/agents"
              search={fleetSearch({ ...withoutFilters(search), trust_stages: [value] })}
              activeProps={{}}
            >
              <StageGlyph value={value} />
              <b>{formatCount(count)}</b>
              <span className="hid">{words(STAGES, value)}</span>
            </Link>
          ))}
        </div>
      </section>
      <div className={styles.phoneFilters}>
        <Button
          icon="filter"
          variant={count > 0 ? 'plain' : 'quiet'}
          className={count > 0 ? buttonStyles.on : styles.flushStart}
          onClick={onFilter}
        >
          {count === 0 ? 'Filter' : plural(count, 'filter')}
        </Button>
        <Chips search={search} go={go} onOpen={onFilter} short />
        <SortMenu sort={sort} onSort={(next) => go(fleetSearch({ ...search, sort: next }))} />
      </div>
    </>
  )
}
