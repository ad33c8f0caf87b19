import { useNavigate } from '@tanstack/react-router'
import { searchOfView, useViews } from '../api/views.ts'
import { stringifySearch } from '../shared/search.ts'
import { type Item, matches } from './items.ts'

/** The saved views. A narrow window has no room for them in its navigation. */
export function useViewItems(text: string): Item[] {
  const navigate = useNavigate()
  return useViews()
    .filter(({ name }) => text === '' || matches(name, text))
    .map((view) => {
      const search = searchOfView(view)
      return {
        id: `view-${view.scope}-${view.name}`,
        label: view.name,
        icon: view.scope === 'team' ? 'people' : 'star',
        note: view.scope === 'team' ? 'of the team' : undefined,
        href: `/agents${stringifySearch(search)}`,
        run: () => void navigate({ to: '/agents', search }),
      }
    })
}
