import type { AgentRevision } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { ALL, ChoiceMenu } from '../records/choice-menu.tsx'
import { BEHAVIOUR, fieldChoices, personChoices } from './filter.ts'
import type { HistorySearch } from './search.ts'

interface FilterProps {
  revisions: readonly AgentRevision[]
  search: HistorySearch
  onFilter: (filter: Pick<HistorySearch, 'field' | 'by'>) => void
}

export function FieldFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [
    { value: ALL, label: 'All fields' },
    { value: BEHAVIOUR, label: 'What bears on behaviour' },
    ...fieldChoices(revisions),
  ]
  return (
    <ChoiceMenu
      icon="filter"
      label="Changed field"
      value={search.field ?? ALL}
      options={options}
      onChange={(field) => onFilter({ by: search.by, field: field === ALL ? undefined : field })}
    />
  )
}

export function PersonFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [{ value: ALL, label: 'All people' }, ...personChoices(revisions)]
  return (
    <ChoiceMenu
      icon="person"
      label="Changed by"
      value={search.by ?? ALL}
      options={options}
      onChange={(by) => onFilter({ field: search.field, by: by === ALL ? undefined : by })}
    />
  )
}
