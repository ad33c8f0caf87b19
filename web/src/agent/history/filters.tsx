import type { AgentRevision } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Menu, MenuRadioGroup } from '../../shared/ui/menu.tsx'
import { BEHAVIOUR, fieldChoices, personChoices } from './filter.ts'
import type { HistorySearch } from './search.ts'

interface FilterProps {
  revisions: readonly AgentRevision[]
  search: HistorySearch
  onFilter: (filter: Pick<HistorySearch, 'field' | 'by'>) => void
}

const ALL = ''

export function FieldFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [
    { value: ALL, label: 'All fields' },
    { value: BEHAVIOUR, label: 'What bears on behaviour' },
    ...fieldChoices(revisions),
  ]
  const value = search.field ?? ALL
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon="filter" {...(value === ALL ? {} : { on: true })}>
          <span className="cut filter-name">{labelOf(options, value)}</span>
        </Button>
      }
    >
      <MenuRadioGroup
        label="Changed field"
        value={value}
        options={options}
        onChange={(field) => onFilter({ by: search.by, field: field === ALL ? undefined : field })}
      />
    </Menu>
  )
}

export function PersonFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [{ value: ALL, label: 'All people' }, ...personChoices(revisions)]
  const value = search.by ?? ALL
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon="person" {...(value === ALL ? {} : { on: true })}>
          <span className="cut filter-name">{labelOf(options, value)}</span>
        </Button>
      }
    >
      <MenuRadioGroup
        label="Changed by"
        value={value}
        options={options}
        onChange={(by) => onFilter({ field: search.field, by: by === ALL ? undefined : by })}
      />
    </Menu>
  )
}

function labelOf(options: readonly { value: string; label: string }[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value
}
