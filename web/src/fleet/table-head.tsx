import { memo, type ReactElement } from 'react'
import type { Sort } from '../shared/sorts.ts'
import { Checkbox } from '../shared/ui/inputs.tsx'
import { Column } from '../shared/ui/table.tsx'
import type { ColumnId } from './column-ids.ts'
import { COLUMNS } from './columns.tsx'
import { nextSort, sortedBy } from './sorts.ts'

interface TableHeadProps {
  columns: readonly ColumnId[]
  sort: Sort
  onSort: (sort: Sort) => void
  /** Of the rows that are loaded. */
  selected: 'none' | 'some' | 'all'
  onSelectAll: (select: boolean) => void
}

/** Not drawn again while the table scrolls. */
export const TableHead = memo(function TableHead(props: TableHeadProps): ReactElement {
  const { columns, sort, onSort, selected, onSelectAll } = props
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">
          <Checkbox
            aria-label="Select the agents that are loaded"
            checked={selected === 'all'}
            partly={selected === 'some'}
            onChange={() => onSelectAll(selected !== 'all')}
          />
        </th>
        {columns.map((id) => {
          const { label, sort: by } = COLUMNS[id]
          return (
            <Column
              key={id}
              sorted={by === undefined ? undefined : sortedBy(sort, by)}
              onSort={by === undefined ? undefined : () => onSort(nextSort(sort, by))}
            >
              {label}
            </Column>
          )
        })}
      </tr>
    </thead>
  )
})
