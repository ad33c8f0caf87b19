import type { AgentFacets } from '@agent-console/sdk'
import { type ReactElement, useState } from 'react'
import { formatCount } from '../shared/numbers.ts'
import type { Search } from '../shared/search.ts'
import { ProtectionGlyph, StageGlyph, StatusGlyph } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Checkbox } from '../shared/ui/inputs.tsx'
import { countOf, countsOf } from './counts.ts'
import { LIST_FILTERS, type ListFilter, wordOf } from './filters.ts'
import styles from './fleet.module.css'
import { toggled, valuesOf } from './search.ts'

interface FacetsProps {
  counts: AgentFacets | undefined
  search: Search
  go: (search: Search) => void
}

const SHOWN: readonly ListFilter[] = [
  'statuses',
  'trust_stages',
  'protection_statuses',
  'evaluation',
  'model_names',
  'tags',
  'access_levels',
  'protocols',
]
/** Of values that people choose: the most frequent ones; the rest on demand. */
const FIRST = 6

/** What other choices would give. Each facet ignores its own filter. */
export function Facets(props: FacetsProps): ReactElement {
  return (
    <>
      {SHOWN.map((name) => (
        <Facet key={name} name={name} {...props} />
      ))}
    </>
  )
}

function Facet({ name, counts, search, go }: FacetsProps & { name: ListFilter }): ReactElement | null {
  const [all, setAll] = useState(false)
  const chosen = valuesOf(search, name)
  const { label, words } = LIST_FILTERS[name]
  const values = inOrder(words, countsOf(counts, name), chosen)
  if (values.length === 0) return null
  const open = words !== undefined || all
  const shown = open ? values : values.filter(({ value }, index) => index < FIRST || chosen.includes(value))
  return (
    <div role="group" aria-label={label}>
      <h3>{label}</h3>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value} className={join(count === 0 && styles.zero)}>
            <label>
              <Checkbox checked={chosen.includes(value)} onChange={() => go(toggled(search, name, value))} />
              <FilterGlyph name={name} value={value} />
              <span className="cut" title={wordOf(name, value)}>
                {wordOf(name, value)}
              </span>
              <span className={styles.count}>{formatCount(count)}</span>
            </label>
          </li>
        ))}
      </ul>
      {name === 'statuses' && chosen.length === 0 && (countOf(counts, name, 'archived') ?? 0) > 0 ? (
        <p className={styles.note}>Archived is left out</p>
      ) : null}
      {shown.length < values.length ? (
        <button type="button" className="facet-more link" onClick={() => setAll(true)}>
          {values.length - shown.length} more
        </button>
      ) : null}
    </div>
  )
}

interface Value {
  value: string
  count: number
}

/** Known values in the order of their words; others as the API orders them, those that are chosen in any case. */
function inOrder(
  words: Record<string, string> | undefined,
  counts: readonly Value[],
  chosen: readonly string[],
): readonly Value[] {
  if (words === undefined) {
    const missing = chosen.filter((value) => counts.every((each) => each.value !== value))
    return [...counts, ...missing.map((value) => ({ value, count: 0 }))]
  }
  if (counts.length === 0) return []
  return Object.keys(words).map((value) => ({
    value,
    count: counts.find((each) => each.value === value)?.count ?? 0,
  }))
}

export function FilterGlyph({ name, value }: { name: ListFilter; value: string }): ReactElement | null {
  if (name === 'statuses') return <StatusGlyph value={value} />
  if (name === 'trust_stages') return <StageGlyph value={value} />
  if (name === 'protection_statuses') return <ProtectionGlyph value={value} />
  if (name !== 'evaluation') return null
  if (value === 'current') return <Icon name="check" size="xs" className="ok-t" />
  return value === 'outdated' ? (
    <Icon name="clock" size="xs" className="warn-t" />
  ) : (
    <Icon name="minus" size="xs" className="t3" />
  )
}
