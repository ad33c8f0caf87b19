import { useNavigate } from '@tanstack/react-router'
import { useViews } from '../api/views.ts'
import { KEPT, rememberList } from '../shared/left-list.ts'
import { parseSearch, stringifySearch } from '../shared/search.ts'
import type { FleetRow } from './row.ts'
import { fleetSearch } from './search.ts'

/** Opens an agent and remembers the list around it, in which j and k go on. */
export function useOpenAgent(
  rows: readonly FleetRow[],
  search: string,
  total: number | undefined,
): (id: string) => void {
  const navigate = useNavigate()
  const label = useViewName(search)
  return (id) => {
    const at = rows.findIndex((row) => row.id === id)
    const first = Math.max(0, at - KEPT / 2)
    const ids = rows.slice(first, first + KEPT).map((row) => row.id)
    rememberList({ label, search, ids, first, ...(total === undefined ? {} : { total }) })
    void navigate({ to: '/agents/$id', params: { id } })
  }
}

/** The saved view that the address is equal to. */
function useViewName(text: string): string {
  const view = useViews().find(
    ({ query, columns }) => stringifySearch(fleetSearch({ ...parseSearch(query), columns })) === text,
  )
  return view?.name ?? 'Fleet'
}
