import type { ReactElement } from 'react'
import type { Search } from '../shared/search.ts'
import { Chip } from '../shared/ui/chip.tsx'
import { FILTER_NAMES, LIST_FILTERS, wordOf } from './filters.ts'
import styles from './fleet.module.css'
import { fleetSearch, textOf, valuesOf } from './search.ts'

interface ChipsProps {
  search: Search
  go: (search: Search) => void
  /** Opens the choice of filters. */
  onOpen: () => void
  /** "3 of 8" instead of the names. */
  short?: boolean
}

/** The filters that are on. The text that is searched for stands in its field. */
export function Chips({ search, go, onOpen, short = false }: ChipsProps): ReactElement {
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
