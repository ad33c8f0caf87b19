import { type ReactElement, type Ref, useEffect, useRef, useState } from 'react'
import { DEFAULT_SORT, SORTS, type Sort } from '../search.ts'
import { Button } from './button.tsx'
import { join } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './inputs.module.css'
import { TextInput } from './inputs.tsx'
import { Menu, MenuRadioGroup } from './menu.tsx'

const TYPING_MS = 250

interface SearchFieldProps {
  /** The text of the address. */
  value: string
  onSearch: (text: string) => void
  fieldRef: Ref<HTMLInputElement>
}

/** Searches when the user pauses. The address can change, too: with Back, or a saved view. */
export function SearchField({ value, onSearch, fieldRef }: SearchFieldProps): ReactElement {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The filters may change between the last key and the search.
  const latest = useRef(onSearch)
  useEffect(() => {
    latest.current = onSearch
  })
  useEffect(() => {
    if (value.trim() === sent.current.trim()) return
    sent.current = value
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (next: string, delayMs: number): void => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = next
      latest.current(next)
    }, delayMs)
  }
  const clear = (
    <button
      type="button"
      className={join(styles.clear, 'focus-in')}
      aria-label="Clear the search"
      onClick={() => search('', 0)}
    >
      <Icon name="close" size="xs" />
    </button>
  )
  return (
    <TextInput
      ref={fieldRef}
      type="search"
      icon="search"
      frame={styles.search}
      {...(text === '' ? { shortcut: '/' } : { suffix: clear })}
      aria-label="Search agents by name"
      placeholder="Search by name"
      maxLength={255}
      value={text}
      onChange={(event) => search(event.target.value, TYPING_MS)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(text, 0)
        if (event.key === 'Escape') {
          event.preventDefault()
          if (text === '') event.currentTarget.blur()
          else search('', 0)
        }
      }}
    />
  )
}

interface SortMenuProps {
  sort: Sort
  /** undefined: the default order. */
  onSort: (sort: Sort | undefined) => void
}

/** The order of a list of agents. */
export function SortMenu({ sort, onSort }: SortMenuProps): ReactElement {
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon="sort" aria-label={`Order: ${SORTS[sort]}`}>
          {SORTS[sort]}
        </Button>
      }
    >
      <MenuRadioGroup
        label="Order"
        value={sort}
        options={(Object.keys(SORTS) as Sort[]).map((value) => ({ value, label: SORTS[value] }))}
        onChange={(next) => onSort(next === DEFAULT_SORT ? undefined : next)}
      />
    </Menu>
  )
}
