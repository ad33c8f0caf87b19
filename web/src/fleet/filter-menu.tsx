import type { AgentFacets } from '@agent-console/sdk'
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { formatCount } from '../shared/numbers.ts'
import type { Search } from '../shared/search.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import menuStyles from '../shared/ui/menu.module.css'
import { Popover } from '../shared/ui/popover.tsx'
import { FilterGlyph } from './facets.tsx'
import { type FilterOption, filterOptions } from './filter-options.ts'
import styles from './fleet.module.css'

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
