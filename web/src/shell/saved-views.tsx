import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { type SavedView, useViews } from '../api/views.ts'
import { parseSearch, type Search } from '../shared/search.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { ViewMenu } from './view-menu.tsx'

const FIRST = 8

export function SavedViews(): ReactElement | null {
  const views = useViews()
  const [all, setAll] = useState(false)
  if (views.length === 0) return null
  const shown = all ? views : views.slice(0, FIRST)
  return (
    <div className="view">
      <h2>Saved views</h2>
      <ul>
        {shown.map((view) => (
          <li key={`${view.scope}/${view.name}`} className="view-line">
            <Link
              to="/agents"
              search={searchOf(view)}
              activeOptions={{ exact: true, includeSearch: true }}
              activeProps={{ 'aria-current': 'true' }}
              title={view.scope === 'team' ? `${view.name}, of the team` : view.name}
            >
              <Icon name={view.scope === 'team' ? 'people' : 'star'} size="s" />
              <span className="cut">{view.name}</span>
            </Link>
            <ViewMenu view={view} />
          </li>
        ))}
      </ul>
      {shown.length < views.length ? (
        <button type="button" className="facet-more link" onClick={() => setAll(true)}>
          {views.length - shown.length} more
        </button>
      ) : null}
    </div>
  )
}

/** `limit` is for the API; here the screen decides. Lists stay lists even with one value, as the page writes them. */
function searchOf({ query, columns }: SavedView): Search {
  const { limit: _, ...search } = parseSearch(query)
  return columns.length === 0 ? search : { ...search, columns }
}
