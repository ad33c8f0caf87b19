import type { ReactElement } from 'react'
import { DEFAULT_SORT, SORTS, type Sort } from '../sorts.ts'
import { Button } from './button.tsx'
import { Menu, MenuRadioGroup } from './menu.tsx'

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
