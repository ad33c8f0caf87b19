import { type ReactElement, type Ref, useEffect, useRef, useState } from 'react'
import { join } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './inputs.module.css'
import { TextInput } from './inputs.tsx'

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
