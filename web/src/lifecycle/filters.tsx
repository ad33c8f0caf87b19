import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { DEFAULT_SORT } from '../shared/sorts.ts'
import { Button } from '../shared/ui/button.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import { SortMenu } from '../shared/ui/sort-menu.tsx'
import type { LifecycleSearch } from './search.ts'

interface FiltersProps {
  search: LifecycleSearch
  onChange: (search: LifecycleSearch) => void
}

const TYPING_MS = 250

export function Filters({ search, onChange }: FiltersProps): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.q ?? '')
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: '/', label: 'Search', group: 'Lifecycle', run: () => input.current?.focus() }],
    [],
  )
  useKeys(shortcuts)
  const { q, evaluation, protection_statuses, sort } = search
  const set = (changed: { [Name in keyof LifecycleSearch]: LifecycleSearch[Name] | undefined }): void =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    )
  useEffect(() => {
    if (text.trim() === (q ?? '')) return undefined
    const timer = setTimeout(() => set({ q: text.trim() }), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return (
    <div className="filters tline wrap life-filters">
      <TextInput
        ref={input}
        icon="search"
        frame="w-260"
        aria-label="Search by name"
        placeholder="Search by name"
        shortcut="/"
        maxLength={255}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        variant="quiet"
        icon="clock"
        on={evaluation !== undefined}
        onClick={() => set({ evaluation: evaluation === undefined ? 'outdated' : undefined })}
      >
        Outdated only
      </Button>
      <Button
        variant="quiet"
        icon="alert"
        on={protection_statuses !== undefined}
        onClick={() =>
          set({ protection_statuses: protection_statuses === undefined ? 'unprotected' : undefined })
        }
      >
        Unprotected only
      </Button>
      <span className="sp" />
      <SortMenu sort={sort ?? DEFAULT_SORT} onSort={(next) => set({ sort: next })} />
    </div>
  )
}
