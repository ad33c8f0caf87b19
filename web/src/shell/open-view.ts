import { useLocation } from '@tanstack/react-router'
import { type SavedView, searchOfView, useViews } from '../api/views.ts'
import { isSameSearch, type Search } from '../shared/search.ts'

/** The view that the fleet shows. One without filters is the fleet itself, which has its own link. */
export function useOpenView(): SavedView | undefined {
  const views = useViews()
  const location = useLocation()
  return location.pathname === '/agents' ? findView(views, location.search) : undefined
}

export function findView(views: readonly SavedView[], search: Search): SavedView | undefined {
  if (isSameSearch(search, {})) return undefined
  return views.find((view) => isSameSearch(searchOfView(view), search))
}
