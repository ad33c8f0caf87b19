import type { AgentFacets } from '@agent-console/sdk'
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { formatCount } from '../shared/format.ts'
import type { Search } from '../shared/search.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import menuStyles from '../shared/ui/menu.module.css'
import { Popover } from '../shared/ui/menu.tsx'
import { countsOf } from './counts.ts'
import { FilterGlyph } from './facets.tsx'
import styles from './fleet.module.css'
import {
  FILTER_NAMES,
  fleetSearch,
  LIST_FILTERS,
  type ListFilter,
  textOf,
  toggled,
  valuesOf,
  wordOf,
} from './search.ts'

interface FilterMenuProps {
  counts: AgentFacets | undefined
  search: Search
  go: (search: Search) => void
}

const BUTTON = 'fleet-filter'

/** The key and the chips open it by the same way as the pointer. */
export function openFilterMenu(): void {
  document.getElementById(BUTTON)?.click()
}

/** Every filter in one list: type a part of its name, choose with Enter. */
export function FilterMenu(props: FilterMenuProps): ReactElement {
  return (
    <Popover
      className={styles.filterPopover}
      trigger={
        <Button id={BUTTON} variant="quiet" icon="add" shortcut="F">
          Filter
        </Button>
      }
    >
      <Choice {...props} />
    </Popover>
  )
}

function Choice({ counts, search, go }: FilterMenuProps): ReactElement {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const options = filterOptions(search, counts, text)
  const current = options[Math.min(at, options.length - 1)]
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      const next = (at + step + options.length) % options.length
      setAt(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && current !== undefined) go(current.next)
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        icon="search"
        role="combobox"
        aria-label="Find a filter"
        aria-expanded="true"
        aria-controls={id}
        {...(current === undefined ? {} : { 'aria-activedescendant': `${id}-${options.indexOf(current)}` })}
        placeholder="Status, model, tag, 0.8 …"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        className={styles.options}
        role="listbox"
        aria-label="Filters"
        aria-multiselectable="true"
        id={id}
        tabIndex={-1}
      >
        {options.map((option, index) => (
          <Option
            key={option.key}
            id={`${id}-${index}`}
            option={option}
            head={option.group !== options[index - 1]?.group}
            current={option === current}
            onChoose={() => {
              setAt(index)
              go(option.next)
            }}
          />
        ))}
      </div>
    </>
  )
}

interface OptionProps {
  id: string
  option: FilterOption
  /** It is the first of its group. */
  head: boolean
  current: boolean
  onChoose: () => void
}

function Option({ id, option, head, current, onChoose }: OptionProps): ReactElement {
  const { group, label, count, on, filter } = option
  return (
    <>
      {head ? (
        <div className={menuStyles.heading} role="presentation">
          {group}
        </div>
      ) : null}
      {/* The input keeps the focus and handles the keys. */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={on}
        className={join(menuStyles.item, current && styles.at)}
        onMouseDown={(event) => event.preventDefault()}
        onClick={onChoose}
      >
        <span className={menuStyles.check}>{on ? <Icon name="check" size="xs" /> : null}</span>
        {filter === undefined ? null : <FilterGlyph {...filter} />}
        <span className="grow cut">
          <span className="hid">{group}: </span>
          {label}
        </span>
        {count === undefined ? null : <span className="sm t3 num">{formatCount(count)}</span>}
      </div>
    </>
  )
}

interface FilterOption {
  key: string
  group: string
  label: string
  /** Absent where the API does not count. */
  count?: number | undefined
  on: boolean
  /** For the glyph. */
  filter?: { name: ListFilter; value: string }
  /** The search after choosing it. */
  next: Search
}

/** With no text, only so many of the values that people choose. */
const FIRST = 5
const FREE: readonly ListFilter[] = ['model_names', 'tags', 'hubs']

/** All filters whose name or value contains the text, and what the text itself can mean. */
function filterOptions(search: Search, counts: AgentFacets | undefined, text: string): FilterOption[] {
  const wanted = text.trim().toLowerCase()
  const listed = FILTER_NAMES.flatMap((name) => listedOptions(search, counts, name, wanted))
  return [...listed, ...ownOptions(search, text.trim(), listed)]
}

function listedOptions(
  search: Search,
  counts: AgentFacets | undefined,
  name: ListFilter,
  wanted: string,
): FilterOption[] {
  const { label, words } = LIST_FILTERS[name]
  const counted = countsOf(counts, name)
  const chosen = valuesOf(search, name)
  const values =
    words === undefined ? [...new Set([...chosen, ...counted.map(({ value }) => value)])] : Object.keys(words)
  const matching = values.filter((value) => `${label} ${wordOf(name, value)}`.toLowerCase().includes(wanted))
  const shown = words === undefined && wanted === '' ? matching.slice(0, FIRST) : matching
  return shown.map((value) => ({
    key: `${name}/${value}`,
    group: label,
    label: wordOf(name, value),
    count: counted.find((each) => each.value === value)?.count,
    on: chosen.includes(value),
    filter: { name, value },
    next: toggled(search, name, value),
  }))
}

/** A number is a lowest score; other text a model, tag or hub that is not among the most frequent ones. */
function ownOptions(search: Search, text: string, listed: readonly FilterOption[]): FilterOption[] {
  if (text === '') return []
  if (/^\d+(\.\d+)?$/.test(text)) {
    const on = textOf(search, 'min_score') === text
    const next = fleetSearch({ ...search, min_score: on ? undefined : text })
    return [{ key: 'min_score', group: 'Score', label: `At least ${text}`, on, next }]
  }
  return FREE.filter((name) => listed.every(({ key }) => key !== `${name}/${text}`)).map((name) => ({
    key: `own/${name}`,
    group: LIST_FILTERS[name].label,
    label: `“${text}”`,
    on: false,
    next: toggled(search, name, text),
  }))
}
