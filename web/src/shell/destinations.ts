import type { IconName } from '../shared/ui/icons.tsx'

/** The pages of the navigation, and the keys after g. */
export const DESTINATIONS = [
  { to: '/agents', label: 'Fleet', icon: 'fleet', key: 'a' },
  { to: '/lifecycle', label: 'Lifecycle', icon: 'lifecycle', key: 'l' },
  { to: '/services', label: 'Services', icon: 'services', key: 's' },
  { to: '/audit', label: 'Audit', icon: 'audit', key: 'u' },
] as const satisfies readonly { to: string; label: string; icon: IconName; key: string }[]
