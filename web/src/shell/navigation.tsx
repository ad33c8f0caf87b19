import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { formatCount } from '../shared/numbers.ts'
import badgesStyles from '../shared/ui/badges.module.css'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Kbd } from '../shared/ui/kbd.tsx'
import { Mark } from '../shared/ui/mark.tsx'
import { useAgentCount, useServicesInTrouble } from './counts.ts'
import { DESTINATIONS } from './destinations.ts'
import { LiveState } from './live-state.tsx'
import { useOpenView } from './open-view.ts'
import { SavedViews } from './saved-views.tsx'
import styles from './shell.module.css'
import { Who } from './who.tsx'

/** Also active while an agent of it is open. */
const PART = { exact: false }
const WHOLE = { exact: true, includeSearch: true }

export function Navigation({ onSearch }: { onSearch: () => void }): ReactElement {
  // Only the view looks chosen then, not the fleet as a whole.
  const isViewOpen = useOpenView() !== undefined
  return (
    <nav className={styles.nav} aria-label="Console">
      <Link to="/agents" className={styles.brand} aria-label="Agent Console, to the fleet">
        <Mark />
        <span className={styles.brandName}>Agent Console</span>
      </Link>
      <button type="button" className={styles.search} onClick={onSearch} aria-keyshortcuts="Control+K">
        <Icon name="search" size="s" />
        <span className="sm">Search or jump to</span>
        <span className="sp" />
        <span aria-hidden="true">
          <Kbd>Ctrl K</Kbd>
        </span>
      </button>
      <ul>
        {DESTINATIONS.map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} activeProps={{}} activeOptions={isViewOpen ? WHOLE : PART} title={label}>
              <Icon name={icon} />
              <span className={styles.label}>{label}</span>
              <span className={styles.count}>
                {to === '/agents' ? <AgentCount /> : null}
                {to === '/services' ? <ServicesInTrouble /> : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <SavedViews />
      <div className={styles.foot}>
        <LiveState />
        <Who />
      </div>
    </nav>
  )
}

function AgentCount(): ReactElement | null {
  const count = useAgentCount()
  return count === undefined ? null : <>{formatCount(count)}</>
}

function ServicesInTrouble(): ReactElement | null {
  const { count, isSevere } = useServicesInTrouble()
  return count === 0 ? null : (
    <span className={isSevere ? join(badgesStyles.badge, 'danger-t') : join(badgesStyles.badge, 'warn-t')}>
      <Icon name="alert" size="xs" />
      {count}
      <span className="hid">need attention</span>
    </span>
  )
}
