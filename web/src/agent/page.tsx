import { getRouteApi, Outlet } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe, isStatus } from '../api/problem.ts'
import { useTitleDetail } from '../shared/page-title.ts'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { Failed, Loading } from '../shared/ui/states.tsx'
import { GoneAgent } from './actions/gone.tsx'
import styles from './agent.module.css'
import { AgentHeader, Crumb } from './header.tsx'
import { useAgent } from './queries.ts'

const route = getRouteApi('/agents/$id')

export function AgentPage(): ReactElement {
  const { id } = route.useParams()
  const { data, error, refetch } = useAgent(id)
  useTitleDetail(data?.agent.agent_name)
  // Deleted by another user while it is shown: the old data must not stay on the screen.
  if (data === undefined || isStatus(error, 404)) {
    return (
      <div className={join(pageStyles.page, pageStyles.onCanvas)}>
        <header className={join(styles.head, styles.empty)}>
          <Crumb id={id} />
        </header>
        {error === null ? (
          <Loading what="the agent" />
        ) : (
          <NotLoaded id={id} name={data?.agent.agent_name} error={error} onRetry={() => void refetch()} />
        )}
      </div>
    )
  }
  return (
    <div className={join(pageStyles.page, pageStyles.onCanvas)}>
      <AgentHeader result={data} />
      <Outlet />
    </div>
  )
}

interface NotLoadedProps {
  id: string
  name: string | undefined
  error: Error
  onRetry: () => void
}

function NotLoaded({ id, name, error, onRetry }: NotLoadedProps): ReactElement {
  if (isStatus(error, 404) || isStatus(error, 422)) {
    return <GoneAgent id={id} name={name} />
  }
  return <Failed title="The agent could not be loaded" failure={describe(error)} onRetry={onRetry} />
}
