import { type ReactElement, useMemo, useRef } from 'react'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { DEFAULT_SORT } from '../shared/sorts.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { SearchField } from '../shared/ui/search-field.tsx'
import { SortMenu } from '../shared/ui/sort-menu.tsx'
import styles from './lifecycle.module.css'
import type { LifecycleSearch } from './search.ts'

interface FiltersProps {
  search: LifecycleSearch
  onChange: (search: LifecycleSearch) => void
}

export function Filters({ search, onChange }: FiltersProps): ReactElement {
  const input = useRef<HTMLInputElement>(null)
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
  return (
    <div className={join(pageStyles.filters, pageStyles.line, styles.filters, 'wrap')}>
      <SearchField fieldRef={input} value={q ?? ''} onSearch={(text) => set({ q: text.trim() })} />
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
