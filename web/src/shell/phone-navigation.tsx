import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { DESTINATIONS } from './destinations.ts'
import { Identity } from './identity.tsx'
import { LiveState } from './live-state.tsx'
import { PhoneViews } from './phone-views.tsx'
import styles from './shell.module.css'

/** At the bottom of a narrow screen, in reach of the thumb. */
export function PhoneNavigation(): ReactElement {
  const [you, setYou] = useState(false)
  return (
    <>
      <nav className={styles.phoneNavigation} aria-label="Console, narrow">
        {DESTINATIONS.map(({ to, label, icon }) => (
          <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            <Icon name={icon} size="l" />
            {label}
          </Link>
        ))}
        <button type="button" onClick={() => setYou(true)}>
          <Icon name="person" size="l" />
          You
        </button>
      </nav>
      <Dialog open={you} onClose={() => setYou(false)} title="You">
        <PhoneViews onOpen={() => setYou(false)} />
        <Identity />
        <LiveState />
      </Dialog>
    </>
  )
}
