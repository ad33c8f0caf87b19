import type { SavedView, ViewScope } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../auth/permissions.ts'
import { isSameSearch, parseSearch, type Search } from '../shared/search.ts'
import { api, keys, queryClient } from './client.ts'

export type { SavedView }

/** Those of the user, then those of the team. */
export function useViews(): readonly SavedView[] {
  const { data } = useQuery({
    queryKey: keys.views,
    queryFn: ({ signal }) => api().views.list({ signal }),
    enabled: useMay('agent:read'),
  })
  return data?.results ?? []
}

/** What the address of the fleet holds while the view is open. `limit` is for the API; here the screen decides. */
export function searchOfView({ query, columns }: Pick<SavedView, 'query' | 'columns'>): Search {
  const { limit: _, ...search } = parseSearch(query)
  return columns.length === 0 ? search : { ...search, columns }
}

/** The view with these filters and columns. An address without filters is the fleet itself. */
export function findView(views: readonly SavedView[], search: Search): SavedView | undefined {
  if (isSameSearch(search, {})) return undefined
  return views.find((view) => isSameSearch(searchOfView(view), search))
}

interface ViewContent {
  name: string
  scope: ViewScope
  query: string
  columns: string[]
}

/** Creates the view, or replaces the one with the same name. */
export async function saveView({ name, scope, query, columns }: ViewContent): Promise<void> {
  await api().views.update(name, { query, columns }, { scope })
  await queryClient.invalidateQueries({ queryKey: keys.views })
}

/** The API has no renaming: the new one is there before the old one goes, so that nothing is lost in between. */
export async function renameView(view: SavedView, name: string): Promise<void> {
  await saveView({ ...view, name })
  await deleteView(view)
}

export async function deleteView({ name, scope }: SavedView): Promise<void> {
  await api().views.delete(name, { scope })
  await queryClient.invalidateQueries({ queryKey: keys.views })
}

/** As the API wants it: no slash, no space or dot first. undefined: the name is good. */
export function faultOfName(name: string): string | undefined {
  if (name === '') return 'Give the view a name.'
  if (name.length > 100) return 'The name has more than 100 characters.'
  if (name.includes('/')) return 'The name must not contain a slash.'
  return name.startsWith('.') ? 'The name must not begin with a dot.' : undefined
}
