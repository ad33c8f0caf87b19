import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe, isStatus } from '../api/problem.ts'
import { useTitleDetail } from '../shared/page-title.ts'
import { Failed, Loading, State } from '../shared/ui/states.tsx'
import { AgentHeader, Crumb } from './header.tsx'
import { useAgent } from './queries.ts'

const route = getRouteApi('/agents/$id')

export function AgentPage(): ReactElement {
  const { id } = route.useParams()
  const { data, error, refetch } = useAgent(id)
  useTitleDetail(data?.agent.agent_name)
  if (data === undefined) {
    return (
      <div className="page on-canvas">
        <header className="ahead ahead-empty">
          <Crumb id={id} />
        </header>
        {error === null ? (
          <Loading what="the agent" />
        ) : (
          <NotLoaded error={error} onRetry={() => void refetch()} />
        )}
      </div>
    )
  }
  return (
    <div className="page on-canvas">
      <AgentHeader result={data} />
      <Outlet />
    </div>
  )
}

function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }): ReactElement {
  if (isStatus(error, 404) || isStatus(error, 422)) {
    return (
      <State
        icon="search"
        title="There is no such agent"
        actions={
          <Link to="/agents" className="btn primary">
            Back to the fleet
          </Link>
        }
      >
        It may have been deleted, or it belongs to another team.
      </State>
    )
  }
  return <Failed title="The agent could not be loaded" failure={describe(error)} onRetry={onRetry} />
}
