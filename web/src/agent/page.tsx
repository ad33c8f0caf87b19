import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { ReactElement } from 'react'

const route = getRouteApi('/agents/$id')

const TABS = [
  { to: '/agents/$id', label: 'Overview', exact: true },
  { to: '/agents/$id/configuration', label: 'Configuration' },
  { to: '/agents/$id/secrets', label: 'Secrets' },
  { to: '/agents/$id/history', label: 'History' },
  { to: '/agents/$id/scores', label: 'Scores' },
  { to: '/agents/$id/delegation', label: 'Delegation' },
  { to: '/agents/$id/activity', label: 'Activity' },
  { to: '/agents/$id/evolution', label: 'Evolution' },
] as const

export function AgentPage(): ReactElement {
  const { id } = route.useParams()
  return (
    <div className="page on-canvas">
      <header className="ahead">
        <h1>{id}</h1>
        <nav className="tabs" aria-label="Agent">
          {TABS.map(({ to, label, ...tab }) => (
            <Link
              key={to}
              to={to}
              params={{ id }}
              activeOptions={{ exact: 'exact' in tab }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {label}
            </Link>
          ))}
        </nav>
      </header>
      <Outlet />
    </div>
  )
}
