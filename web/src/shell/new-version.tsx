import { type ReactElement, useEffect, useState } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { Banner } from '../shared/ui/page.tsx'

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
export function NewVersion(): ReactElement | null {
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
