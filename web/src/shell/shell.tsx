import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from 'react'
import { useMe } from '../auth/permissions.ts'
import { listenToKeys, type Shortcut, useKeys } from '../shared/keys.ts'
import { usePageTitle } from '../shared/page-title.ts'
import { preloadDialog } from '../shared/ui/dialog.tsx'
import { Refused } from '../shared/ui/states.tsx'
import { ToastRegion } from '../shared/ui/toast.tsx'
import { DESTINATIONS } from './destinations.ts'
import { KeySheet } from './key-sheet.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { usePalettePages } from './palette-pages.ts'
import { PhoneNavigation } from './phone-navigation.tsx'
import styles from './shell.module.css'
import { useTitleFocus } from './title-focus.ts'

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
