import {
  type ErrorComponentProps,
  Link,
  Outlet,
  useMatches,
  useNavigate,
  useRouter,
} from '@tanstack/react-router'
import { Fragment, lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from 'react'
import { describe } from '../api/problem.ts'
import { type Permission, useMe } from '../auth/permissions.ts'
import {
  listenToKeys,
  type Shortcut,
  shownKeys,
  switchSingleKeys,
  useKeys,
  useShortcuts,
  useSingleKeysOn,
} from '../shared/keys.ts'
import { usePageTitle } from '../shared/page-title.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { Kbd } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Dialog, preloadDialog } from '../shared/ui/dialog.tsx'
import { Switch } from '../shared/ui/inputs.tsx'
import { Failed, Loading, Refused, State } from '../shared/ui/states.tsx'
import { ToastRegion } from '../shared/ui/toast.tsx'
import { DESTINATIONS, Navigation, PhoneNavigation, usePalettePages } from './navigation.tsx'
import { Notices } from './notices.tsx'
import styles from './shell.module.css'

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }))

export function Shell(): ReactElement {
  const [palette, setPalette] = useState(false)
  const [sheet, setSheet] = useState(false)
  const navigate = useNavigate()
  const pages = usePalettePages()
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: 'Ctrl+k', label: 'Search or jump to', group: 'Everywhere', run: () => setPalette(true) },
      { keys: '?', label: 'All keys', group: 'Everywhere', run: () => setSheet(true) },
      ...DESTINATIONS.map(({ to, label, key }) => ({
        keys: `g ${key}`,
        label: `Go to ${label}`,
        group: 'Everywhere',
        run: () => void navigate({ to }),
      })),
    ],
    [navigate],
  )
  useKeys(shortcuts)
  useEffect(listenToKeys, [])
  useEffect(preloadDialog, [])
  useTitleFocus()
  return (
    <div className={styles.app}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Navigation onSearch={() => setPalette(true)} />
      <main className={styles.main} id="main">
        <Notices />
        <Page />
      </main>
      <PhoneNavigation />
      <ToastRegion />
      {sheet ? <KeySheet onClose={() => setSheet(false)} /> : null}
      {palette ? (
        <Suspense fallback={null}>
          <Palette pages={pages} onClose={() => setPalette(false)} onKeys={() => setSheet(true)} />
        </Suspense>
      ) : null}
    </div>
  )
}

/** The page of the address, or what its permission is for. */
function Page(): ReactElement {
  const me = useMe()
  const pages = useMatches().map(({ staticData }) => staticData)
  const title = pages.findLast((page) => page.title !== undefined)?.title
  usePageTitle(title)
  const refused = pages.find(({ needs }) => typeof needs === 'string' && !me.permissions.includes(needs))
  if (refused?.needs) return <Refused what={refused.what ?? ''} permission={refused.needs} name={me.name} />
  return <Outlet />
}

export function NotFound(): ReactElement {
  return (
    <State
      icon="search"
      title="There is no such page"
      actions={
        <Link to="/agents" className={join(buttonStyles.button, buttonStyles.primary)}>
          Back to the fleet
        </Link>
      }
    >
      The address may be mistyped, or the page has moved.
    </State>
  )
}

export function PagePending(): ReactElement {
  return <Loading what="the page" />
}

export function PageFailed({ error, reset }: ErrorComponentProps): ReactElement {
  return <Failed title="This page could not be shown" failure={describe(error)} onRetry={reset} />
}

/** Moves the focus to the title of a new page if what had it has gone: a screen reader begins there. */
function useTitleFocus(): void {
  const router = useRouter()
  useEffect(() => {
    let stop = (): void => undefined
    const leave = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (fromLocation === undefined || !pathChanged) return
      stop()
      stop = focusTitle()
    })
    return () => {
      leave()
      stop()
    }
  }, [router])
}

/** A page that cannot be shown says why below a title of its own. */
const TITLE = 'main h1, main h3[tabindex]'

/** Waits for the title: the page of an agent has one when the agent is loaded. Returns how to stop. */
function focusTitle(): () => void {
  const observer = new MutationObserver(tryFocus)
  function tryFocus(): void {
    const title = document.querySelector<HTMLElement>(TITLE)
    if (document.activeElement === document.body && title === null) return
    observer.disconnect()
    if (document.activeElement === document.body) title?.focus({ preventScroll: true })
  }
  observer.observe(document.body, { childList: true, subtree: true })
  tryFocus()
  return () => observer.disconnect()
}

/** All keys that work on this page. */
function KeySheet({ onClose }: { onClose: () => void }): ReactElement {
  const shortcuts = useShortcuts()
  const on = useSingleKeysOn()
  const groups = Map.groupBy(shortcuts, ({ group }) => group)
  return (
    <Dialog open onClose={onClose} title="Keys">
      <div className={styles.keySheet}>
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3 className="sm t2">{group}</h3>
            <dl>
              {entries.map(({ keys, label }) => (
                <Fragment key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {shownKeys(keys).map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch checked={on} onChange={(event) => switchSingleKeys(event.target.checked)}>
        Single-letter keys
      </Switch>
    </Dialog>
  )
}

/** What the shell needs to know of each page. */
export interface PageData {
  title: string
  /** null: every signed-in user. */
  needs: Permission | null
  /** Completes "You may not", for the page that says so. */
  what: string
}
