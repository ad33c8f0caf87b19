import type { AgentFacets } from '@agent-console/sdk'
import type { ReactElement, Ref } from 'react'
import { IconButton } from '../shared/ui/button.tsx'
import { Menu, MenuCheckItem } from '../shared/ui/menu.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { SearchField } from '../shared/ui/search-field.tsx'
import { SortMenu } from '../shared/ui/sort-menu.tsx'
import { Chips } from './chips.tsx'
import { COLUMN_IDS, type ColumnId, columnsParameter } from './column-ids.ts'
import { COLUMNS } from './columns.tsx'
import { FilterMenu, openFilterMenu } from './filter-menu.tsx'
import { SaveView } from './save-view.tsx'
import { fleetSearch, textOf } from './search.ts'
import type { FleetAddress } from './use-search.ts'

interface ToolbarProps {
  address: FleetAddress
  counts: AgentFacets | undefined
  fieldRef: Ref<HTMLInputElement>
  facetsShown: boolean
  onFacets: () => void
}

export function Toolbar(props: ToolbarProps): ReactElement {
  const { address, counts, fieldRef, facetsShown, onFacets } = props
  const { search, sort, columns, go } = address
  return (
    <div className={pageStyles.filters}>
      <SearchField
        fieldRef={fieldRef}
        value={textOf(search, 'q') ?? ''}
        onSearch={(q) => go(fleetSearch({ ...search, q }), { replace: true })}
      />
      <Chips search={search} go={go} onOpen={openFilterMenu} />
      <FilterMenu counts={counts} search={search} go={go} />
      <span className="sp" />
      <SaveView address={address} />
      <span className="vsep" />
      <SortMenu sort={sort} onSort={(next) => go(fleetSearch({ ...search, sort: next }))} />
      <ColumnsMenu
        columns={columns}
        onChange={(next) => go(fleetSearch({ ...search, columns: columnsParameter(next) }))}
      />
      <IconButton
        icon="filter"
        label={facetsShown ? 'Hide the filters' : 'Show the filters'}
        variant={facetsShown ? 'plain' : 'quiet'}
        on={facetsShown}
        onClick={onFacets}
      />
    </div>
  )
}

interface ColumnsMenuProps {
  columns: readonly ColumnId[]
  onChange: (columns: readonly ColumnId[]) => void
}

function ColumnsMenu({ columns, onChange }: ColumnsMenuProps): ReactElement {
  return (
    <Menu trigger={<IconButton icon="columns" label="Choose columns" />}>
      {COLUMN_IDS.filter((id) => id !== 'agent_name').map((id) => (
        <MenuCheckItem
          key={id}
          checked={columns.includes(id)}
          onChange={(checked) => onChange(checked ? [...columns, id] : columns.filter((each) => each !== id))}
        >
          {COLUMNS[id].label}
        </MenuCheckItem>
      ))}
    </Menu>
  )
}
