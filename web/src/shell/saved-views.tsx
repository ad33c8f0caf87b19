import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMay } from '../auth/permissions.ts'
import { parseSearch } from '../shared/search.ts'
import { Icon } from '../shared/ui/icon.tsx'

const SHOWN = 8

export function SavedViews(): ReactElement | null {
  const { data } = useQuery({
    queryKey: keys.views,
    queryFn: ({ signal }) => api().views.list({ signal }),
    enabled: useMay('agent:read'),
  })
  if (data === undefined || data.results.length === 0) return null
  return (
    <div className="view">
      <h2>Saved views</h2>
      <ul>
        {data.results.slice(0, SHOWN).map(({ name, scope, query }) => (
          <li key={`${scope}/${name}`}>
            <Link to="/agents" search={parseSearch(query)} activeProps={{}} title={name}>
              <Icon name={scope === 'team' ? 'people' : 'star'} size="s" />
              <span className="cut">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
