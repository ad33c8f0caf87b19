import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api, keys } from '../api/client.ts'
import { useMay } from '../auth/permissions.ts'
import type { PalettePage } from '../palette/items.ts'
import { callsPass, needsAttention } from '../services/state.ts'
import { formatCount } from '../shared/format.ts'
import badgesStyles from '../shared/ui/badges.module.css'
import { Kbd } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Icon, type IconName, Mark } from '../shared/ui/icon.tsx'
import { Identity, Who } from './identity.tsx'
import { LiveState } from './live-state.tsx'
import { PhoneViews, SavedViews, useOpenView } from './saved-views.tsx'
import styles from './shell.module.css'

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

/** The pages of the navigation, and the keys after g. */
export const DESTINATIONS = [
  { to: '/agents', label: 'Fleet', icon: 'fleet', key: 'a' },
  { to: '/lifecycle', label: 'Lifecycle', icon: 'lifecycle', key: 'l' },
  { to: '/services', label: 'Services', icon: 'services', key: 's' },
  { to: '/audit', label: 'Audit', icon: 'audit', key: 'u' },
] as const satisfies readonly { to: string; label: string; icon: IconName; key: string }[]

/** undefined while it is not known. */
function useAgentCount(): number | undefined {
  const { data } = useQuery({
    queryKey: keys.facets({}),
    queryFn: ({ signal }) => api().agents.facets({}, { signal }),
    enabled: useMay('agent:read'),
    select: ({ count }) => count,
  })
  return data
}

interface Trouble {
  count: number
  /** Calls of at least one of them are refused. */
  isSevere: boolean
}

function useServicesInTrouble(): Trouble {
  const { data } = useQuery({
    queryKey: keys.services,
    queryFn: ({ signal }) => api().services.list({ signal }),
    enabled: useMay('service:read'),
    refetchInterval: 60_000,
    select: ({ results }) => {
      const troubled = results.filter(needsAttention)
      return { count: troubled.length, isSevere: !troubled.every(callsPass) }
    },
  })
  return data ?? { count: 0, isSevere: false }
}

/** The pages of the navigation, as the palette lists them. */
export function usePalettePages(): PalettePage[] {
  const navigate = useNavigate()
  const { count: troubled } = useServicesInTrouble()
  return DESTINATIONS.map(({ to, label, icon, key }) => ({
    to,
    label,
    icon,
    key,
    open: () => void navigate({ to }),
    note: to === '/services' && troubled > 0 ? `${troubled} in trouble` : undefined,
  }))
}
