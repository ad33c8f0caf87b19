import { type ReactElement, useEffect, useState } from 'react'
import { useSession } from '../auth/session-context.ts'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { Banner } from '../shared/ui/page.tsx'

/** Renewal failed for good. The page stays, so that work in progress is not lost. */
export function SessionNotice(): ReactElement | null {
  const session = useSession()
  const [ended, setEnded] = useState(false)
  useEffect(() => session.onEnded(() => setEnded(true)), [session])
  if (!ended) return null
  return (
    <div className="notices">
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
    </div>
  )
}
