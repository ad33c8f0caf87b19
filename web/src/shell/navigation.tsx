import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { formatCount } from '../shared/numbers.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Kbd } from '../shared/ui/kbd.tsx'
import { Mark } from '../shared/ui/mark.tsx'
import { useAgentCount, useServicesInTrouble } from './counts.ts'
import { DESTINATIONS } from './destinations.ts'
import { LiveState } from './live-state.tsx'
import { useOpenView } from './open-view.ts'
import { SavedViews } from './saved-views.tsx'
import { Who } from './who.tsx'

/** Also active while an agent of it is open. */
const PART = { exact: false }
const WHOLE = { exact: true, includeSearch: true }

export function Navigation({ onSearch }: { onSearch: () => void }): ReactElement {
  // Only the view looks chosen then, not the fleet as a whole.
  const isViewOpen = useOpenView() !== undefined
  return (
    <nav className="nav" aria-label="Console">
      <Link to="/agents" className="brand" aria-label="Agent Console, to the fleet">
        <Mark />
        <span className="brand-name">Agent Console</span>
      </Link>
      <button type="button" className="nav-search" onClick={onSearch} aria-keyshortcuts="Control+K">
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
              <span className="nav-label">{label}</span>
              <span className="n">
                {to === '/agents' ? <AgentCount /> : null}
                {to === '/services' ? <ServicesInTrouble /> : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <SavedViews />
      <div className="nav-foot">
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
    <span className={isSevere ? 'bd danger-t' : 'bd warn-t'}>
      <Icon name="alert" size="xs" />
      {count}
      <span className="hid">need attention</span>
    </span>
  )
}
