import { type ReactElement, type Ref, useEffect, useRef, useState } from 'react'
import { Icon } from '../shared/ui/icon.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'

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
  useEffect(() => {
    if (value.trim() === sent.current.trim()) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (next: string, delayMs: number): void => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = next
      onSearch(next)
    }, delayMs)
  }
  const clear = (
    <button
      type="button"
      className="clear focus-in"
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
      frame="w-260"
      {...(text === '' ? { shortcut: '/' } : { suffix: clear })}
      aria-label="Search agents by name"
      placeholder="Search by name"
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
