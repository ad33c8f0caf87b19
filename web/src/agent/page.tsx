import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { describe, isStatus } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { useTitleDetail } from '../shared/page-title.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { Failed, Loading, State } from '../shared/ui/states.tsx'
import styles from './agent.module.css'
import { AgentHeader, Crumb } from './header.tsx'
import { useRecover } from './mutations.ts'
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

interface GoneAgentProps {
  id: string
  /** If it was on the screen before it was deleted. */
  name: string | undefined
}

/**
 * The page of an agent that the console does not return. It does not say whether the agent was deleted or never
 * existed, so that the page can only offer to try.
 */
export function GoneAgent({ id, name }: GoneAgentProps): ReactElement {
  const mayNot = useOff('agent:delete')
  const recover = useRecover()
  const [busy, setBusy] = useState(false)
  const run = async (): Promise<void> => {
    setBusy(true)
    await recover(id)
    setBusy(false)
  }
  return (
    <State
      icon="search"
      title={name === undefined ? 'There is no such agent' : `“${name}” was deleted`}
      actions={
        <>
          <Link to="/agents" className={join(buttonStyles.button, buttonStyles.primary)}>
            Back to the fleet
          </Link>
          <Button
            icon="undo"
            off={mayNot || (busy && 'The request is running')}
            reason="beside"
            onClick={() => void run()}
          >
            Recover it
          </Button>
        </>
      }
    >
      It may have been deleted: then it can be recovered for some days, with its revisions, scores and
      secrets. Or it belongs to another team.
    </State>
  )
}
