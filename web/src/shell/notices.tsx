import { type ReactElement, useEffect, useState } from 'react'
import { useSession } from '../auth/permissions.ts'
import { useLive } from '../live/state.ts'
import { reconnect } from '../live/tabs.ts'
import { formatClock, nowSeconds } from '../shared/format.ts'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { Banner } from '../shared/ui/page.tsx'
import { Stale } from '../shared/ui/states.tsx'

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

const EVERY_MS = 5 * 60_000
const ENTRY = /\/console\/assets\/index-[\w-]+\.js/

/** Assets have the hash of their content in their name: another name in the page means another version. */
async function isOutdated(): Promise<boolean> {
  const own = document.querySelector('script[type="module"]')?.getAttribute('src')
  const response = await fetch('/console/', { cache: 'no-cache' })
  const served = response.ok ? ENTRY.exec(await response.text())?.[0] : undefined
  return served !== undefined && own !== null && own !== undefined && !own.endsWith(served)
}

/** Asks to reload when the server has a newer console, or when a part of this one is no longer there. */
function NewVersion(): ReactElement | null {
  const [outdated, setOutdated] = useState(false)
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      isOutdated().then(
        (found) => found && setOutdated(true),
        () => undefined,
      )
    }
    const missing = (): void => setOutdated(true)
    const timer = setInterval(look, EVERY_MS)
    document.addEventListener('visibilitychange', look)
    window.addEventListener('vite:preloadError', missing)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('vite:preloadError', missing)
    }
  }, [])
  if (!outdated) return null
  return (
    <Banner
      tone="accent"
      icon={<Icon name="info" />}
      title="A new version of the console is there"
      actions={
        <Button icon="retry" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      Drafts are kept in this tab.
    </Banner>
  )
}
