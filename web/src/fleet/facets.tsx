import type { AgentFacets } from '@agent-console/sdk'
import { type ReactElement, type ReactNode, useState } from 'react'
import { formatCount, plural } from '../shared/format.ts'
import type { Search } from '../shared/search.ts'
import { ProtectionGlyph, StageGlyph, StatusGlyph } from '../shared/ui/badges.tsx'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { Checkbox } from '../shared/ui/inputs.tsx'
import type { FleetAddress } from './address.ts'
import { countOf, countsOf } from './counts.ts'
import styles from './fleet.module.css'
import {
  hasFilters,
  LIST_FILTERS,
  type ListFilter,
  toggled,
  valuesOf,
  withoutFilters,
  wordOf,
} from './search.ts'

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

interface DrawerButtonsProps {
  address: FleetAddress
  count: number | undefined
  onClose: () => void
}

/** The list behind the drawer follows each choice; these lead back to it. */
function DrawerButtons({ address, count, onClose }: DrawerButtonsProps): ReactElement {
  const { search, go } = address
  return (
    <>
      <Button variant="primary" size="lg" onClick={onClose}>
        {count === undefined ? 'Show the agents' : `Show ${plural(count, 'agent')}`}
      </Button>
      {hasFilters(search) ? (
        <Button size="lg" onClick={() => go(withoutFilters(search))}>
          Clear all filters
        </Button>
      ) : null}
    </>
  )
}

interface FacetsDrawerProps extends DrawerButtonsProps {
  open: boolean
  children: ReactNode
}

/** The filters where they have no room beside the list. */
export function FacetsDrawer({ open, children, ...rest }: FacetsDrawerProps): ReactElement {
  return (
    <Dialog
      open={open}
      kind="drawer"
      title="Filters"
      onClose={rest.onClose}
      footer={<DrawerButtons {...rest} />}
    >
      <div className={join(styles.facets, styles.inDrawer)}>{children}</div>
    </Dialog>
  )
}

const KEY = 'facets'

/** Beside the table they are open until they are closed, also the next time; as a drawer only on demand. */
export function useFacetsShown(drawer: boolean): [shown: boolean, toggle: () => void, hide: () => void] {
  const [beside, setBeside] = useState(() => localStorage.getItem(KEY) !== 'closed')
  const [over, setOver] = useState(false)
  const toggle = (): void => {
    if (drawer) {
      setOver(!over)
      return
    }
    if (beside) localStorage.setItem(KEY, 'closed')
    else localStorage.removeItem(KEY)
    setBeside(!beside)
  }
  return [drawer ? over : beside, toggle, () => setOver(false)]
}
