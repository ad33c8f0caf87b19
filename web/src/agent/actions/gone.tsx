import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { useOff } from '../../auth/permissions.ts'
import buttonStyles from '../../shared/ui/button.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { State } from '../../shared/ui/states.tsx'
import { useRecover } from './recover.ts'

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
