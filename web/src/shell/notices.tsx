import { type ReactElement, useEffect, useState } from 'react'
import { useSession } from '../auth/session-context.ts'
import { useLive } from '../live/state.ts'
import { reconnect } from '../live/tabs.ts'
import { formatClock, nowSeconds } from '../shared/time.ts'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { Banner } from '../shared/ui/page.tsx'
import { Stale } from '../shared/ui/states.tsx'
import { NewVersion } from './new-version.tsx'

/** Above every page: what concerns the whole console. */
export function Notices(): ReactElement {
  return (
    <div className={pageStyles.notices}>
      <SessionNotice />
      <NewVersion />
      <StaleNotice />
    </div>
  )
}

/** The token cannot be renewed. The page stays, so that work in progress is not lost. */
function SessionNotice(): ReactElement | null {
  const session = useSession()
  const [ended, setEnded] = useState(false)
  useEffect(() => session.onEnded(setEnded), [session])
  if (!ended) return null
  return (
    <Banner
      tone="warn"
      urgent
      icon={<Icon name="lock" />}
      title="Your sign-in has ended"
      actions={
        <Button variant="primary" onClick={() => void session.signIn()}>
          Sign in again
        </Button>
      }
    >
      Drafts are kept in this tab. You come back to this page.
    </Banner>
  )
}

/** A short interruption is no news. */
const PATIENCE_S = 10

function StaleNotice(): ReactElement | null {
  const { state, since } = useLive()
  const [late, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (state !== 'down' || since === undefined) return undefined
    const timer = setTimeout(() => setLate(true), Math.max(0, since + PATIENCE_S - nowSeconds()) * 1000)
    return () => clearTimeout(timer)
  }, [state, since])
  return late && since !== undefined ? <Stale since={formatClock(since)} onReconnect={reconnect} /> : null
}
