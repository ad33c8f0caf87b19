import type { AgentFacets } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement, Ref } from 'react'
import { formatCount, plural } from '../shared/format.ts'
import type { Search } from '../shared/search.ts'
import { StageGlyph } from '../shared/ui/badges.tsx'
import buttonStyles from '../shared/ui/button.module.css'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { Chip } from '../shared/ui/chip.tsx'
import { join } from '../shared/ui/class-names.ts'
import { SearchField, SortMenu } from '../shared/ui/list-tools.tsx'
import { Menu, MenuCheckItem } from '../shared/ui/menu.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { STAGES, stageNumber, words } from '../shared/words.ts'
import type { FleetAddress } from './address.ts'
import { countsOf } from './counts.ts'
import { FilterMenu, openFilterMenu } from './filter-menu.tsx'
import styles from './fleet.module.css'
import { COLUMNS } from './list-parts.tsx'
import { SaveView } from './save-view.tsx'
import {
  COLUMN_IDS,
  type ColumnId,
  columnsParameter,
  FILTER_NAMES,
  fleetSearch,
  LIST_FILTERS,
  textOf,
  valuesOf,
  withoutFilters,
  wordOf,
} from './search.ts'
import summaryStyles from './summary.module.css'
import { Bar } from './summary.tsx'

interface ToolbarProps {
  address: FleetAddress
  counts: AgentFacets | undefined
  fieldRef: Ref<HTMLInputElement>
  facetsShown: boolean
  onFacets: () => void
}

export function Toolbar(props: ToolbarProps): ReactElement {
  const { address, counts, fieldRef, facetsShown, onFacets } = props
  const { search, sort, columns, go } = address
  return (
    <div className={pageStyles.filters}>
      <SearchField
        fieldRef={fieldRef}
        value={textOf(search, 'q') ?? ''}
        onSearch={(q) => go(fleetSearch({ ...search, q }), { replace: true })}
      />
      <Chips search={search} go={go} onOpen={openFilterMenu} />
      <FilterMenu counts={counts} search={search} go={go} />
      <span className="sp" />
      <SaveView address={address} />
      <span className="vsep" />
      <SortMenu sort={sort} onSort={(next) => go(fleetSearch({ ...search, sort: next }))} />
      <ColumnsMenu
        columns={columns}
        onChange={(next) => go(fleetSearch({ ...search, columns: columnsParameter(next) }))}
      />
      <IconButton
        icon="filter"
        label={facetsShown ? 'Hide the filters' : 'Show the filters'}
        variant={facetsShown ? 'plain' : 'quiet'}
        on={facetsShown}
        onClick={onFacets}
      />
    </div>
  )
}

interface ColumnsMenuProps {
  columns: readonly ColumnId[]
  onChange: (columns: readonly ColumnId[]) => void
}

function ColumnsMenu({ columns, onChange }: ColumnsMenuProps): ReactElement {
  return (
    <Menu trigger={<IconButton icon="columns" label="Choose columns" />}>
      {COLUMN_IDS.filter((id) => id !== 'agent_name').map((id) => (
        <MenuCheckItem
          key={id}
          checked={columns.includes(id)}
          onChange={(checked) => onChange(checked ? [...columns, id] : columns.filter((each) => each !== id))}
        >
          {COLUMNS[id].label}
        </MenuCheckItem>
      ))}
    </Menu>
  )
}

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
      <section className={summaryStyles.phoneSummary} aria-label="Agents by trust stage">
        <Bar
          parts={stages.map(({ value, count }) => ({
            size: count,
            tone: summaryStyles[`fSt${stageNumber(value)}`],
          }))}
        />
        <div className={join(summaryStyles.legend, summaryStyles.compact)}>
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

interface ChipsProps {
  search: Search
  go: (search: Search) => void
  /** Opens the choice of filters. */
  onOpen: () => void
  /** "3 of 8" instead of the names. */
  short?: boolean
}

/** The filters that are on. The text that is searched for stands in its field. */
function Chips({ search, go, onOpen, short = false }: ChipsProps): ReactElement {
  const score = textOf(search, 'min_score')
  return (
    <>
      {FILTER_NAMES.map((name) => {
        const values = valuesOf(search, name)
        if (values.length === 0) return null
        const { label, words } = LIST_FILTERS[name]
        const all = values.map((value) => wordOf(name, value)).join(', ')
        const some = short && values.length > 1
        return (
          <Chip
            key={name}
            name={label}
            {...(short ? {} : { operator: values.length > 1 ? 'any of' : 'is' })}
            value={
              <span className={styles.chipValue} title={all}>
                {some
                  ? `${values.length}${words === undefined ? '' : ` of ${Object.keys(words).length}`}`
                  : all}
              </span>
            }
            onOpen={onOpen}
            onRemove={() => go(fleetSearch({ ...search, [name]: undefined }))}
          />
        )
      })}
      {score === undefined ? null : (
        <Chip
          name="Score"
          operator="at least"
          value={score}
          onOpen={onOpen}
          onRemove={() => go(fleetSearch({ ...search, min_score: undefined }))}
        />
      )}
    </>
  )
}
