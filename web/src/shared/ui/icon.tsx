import type { ReactElement } from 'react'
import { join } from './class-names.ts'
import styles from './mark.module.css'

const SIZES = { xs: 'i-xs', s: 'i-s', m: '', l: 'i-l' }

export interface IconProps {
  name: IconName
  size?: keyof typeof SIZES
  className?: string | undefined
  /** Says what no word beside it says. Without one the icon is hidden from screen readers. */
  label?: string
}

export function Icon({ name, size = 'm', className, label }: IconProps): ReactElement {
  return (
    <svg
      className={join('i', SIZES[size], className)}
      viewBox="0 0 16 16"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {ICONS[name]}
    </svg>
  )
}

/** Outlines on a grid of 16; the stroke takes the colour of the text. */
export const ICONS = {
  add: <path d="M8 3.25v9.5M3.25 8h9.5" />,
  alert: (
    <>
      <path d="M8 2.5 14 13H2z" />
      <path d="M8 6.5v3M8 11.2v.05" />
    </>
  ),
  archive: (
    <>
      <rect x="2.25" y="3" width="11.5" height="3" rx=".75" />
      <path d="M3.25 6v6a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1V6M6.5 8.75h3" />
    </>
  ),
  audit: (
    <>
      <path d="M4 2.5h8a1 1 0 0 1 1 1v10l-2-1.2-1.5 1.2L8 12.3l-1.5 1.2L5 12.3l-2 1.2v-10a1 1 0 0 1 1-1z" />
      <path d="M5.75 5.5h4.5M5.75 8.5h4.5" />
    </>
  ),
  back: <path d="m10 4-4 4 4 4" />,
  breakerClosed: (
    <>
      <path d="M1.5 8h13" />
      <circle cx="5.5" cy="8" r="1.1" fill="currentColor" />
      <circle cx="10.5" cy="8" r="1.1" fill="currentColor" />
    </>
  ),
  breakerHalfOpen: (
    <>
      <path d="M1.5 8h4M10.5 8h4M5.5 8l4.6-2.4" />
      <circle cx="5.5" cy="8" r="1.1" fill="currentColor" />
      <circle cx="10.5" cy="8" r="1.1" />
    </>
  ),
  breakerOpen: (
    <>
      <path d="M1.5 8h4M10.5 8h4M5.5 8l4-4.2" />
      <circle cx="5.5" cy="8" r="1.1" fill="currentColor" />
      <circle cx="10.5" cy="8" r="1.1" fill="currentColor" />
    </>
  ),
  chart: <path d="M3 13V10M6.3 13V7.5M9.6 13V5.25M13 13V3" />,
  check: <path d="m3.25 8.5 3 3 6.5-7" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3l2 1.5" />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  columns: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.25" />
      <path d="M6.25 3v10M9.75 3v10" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.25" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  down: <path d="m4 6 4 4 4-4" />,
  download: <path d="M8 2.75v7m0 0L5 7m3 2.75L11 7M3 12.75h10" />,
  duplicate: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.25" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2M9.5 7.75v3.5M7.75 9.5h3.5" />
    </>
  ),
  edit: <path d="m3 13 .7-3L10.5 3.2a1 1 0 0 1 1.4 0l.9.9a1 1 0 0 1 0 1.4L6 12.3z" />,
  enter: <path d="M13 4v3a2 2 0 0 1-2 2H3.5m0 0L6 6.5M3.5 9 6 11.5" />,
  expand: <path d="M2.75 6V2.75H6M10 2.75h3.25V6M13.25 10v3.25H10M6 13.25H2.75V10" />,
  external: (
    <path d="M9.5 2.75h3.75V6.5M13 3 7.75 8.25M11.5 9.5v2.75a1 1 0 0 1-1 1h-6.75a1 1 0 0 1-1-1V5.5a1 1 0 0 1 1-1H6.5" />
  ),
  eye: (
    <>
      <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8z" />
      <circle cx="8" cy="8" r="1.75" />
    </>
  ),
  eyeOff: (
    <path d="M6.3 4c.5-.16 1.1-.25 1.7-.25 4 0 6.25 4.25 6.25 4.25s-.6 1.15-1.75 2.25M4 5.2C2.5 6.4 1.75 8 1.75 8S4 12.25 8 12.25c1 0 1.9-.27 2.7-.66M2.5 2.5l11 11" />
  ),
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  flask: <path d="M6.25 2.5h3.5M7 2.5V6.5L3.5 12a1 1 0 0 0 .9 1.5h7.2a1 1 0 0 0 .9-1.5L9 6.5v-4M5 10.5h6" />,
  fleet: (
    <>
      <rect x="2.5" y="2.5" width="4.5" height="4.5" rx="1" />
      <rect x="9" y="2.5" width="4.5" height="4.5" rx="1" />
      <rect x="2.5" y="9" width="4.5" height="4.5" rx="1" />
      <rect x="9" y="9" width="4.5" height="4.5" rx="1" />
    </>
  ),
  forward: <path d="m6 4 4 4-4 4" />,
  graph: (
    <>
      <circle cx="3.75" cy="8" r="1.75" />
      <circle cx="12.25" cy="3.75" r="1.75" />
      <circle cx="12.25" cy="12.25" r="1.75" />
      <path d="m5.4 7.3 5.2-2.7M5.4 8.8l5.2 2.6" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.5v3.25M8 5.2v.05" />
    </>
  ),
  key: (
    <>
      <circle cx="5.25" cy="10.75" r="2.75" />
      <path d="m7.25 8.75 5.5-5.5M10.5 5.5l2 2" />
    </>
  ),
  lifecycle: (
    <>
      <rect x="2.25" y="2.75" width="3.25" height="10.5" rx="1" />
      <rect x="6.4" y="2.75" width="3.25" height="7.25" rx="1" />
      <rect x="10.5" y="2.75" width="3.25" height="4.5" rx="1" />
    </>
  ),
  link: (
    <path d="M6.75 9.25a2.5 2.5 0 0 0 3.6 0l2.1-2.1a2.5 2.5 0 0 0-3.6-3.6l-.6.6M9.25 6.75a2.5 2.5 0 0 0-3.6 0l-2.1 2.1a2.5 2.5 0 0 0 3.6 3.6l.6-.6" />
  ),
  lock: (
    <>
      <rect x="3.25" y="7" width="9.5" height="6.5" rx="1.25" />
      <path d="M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2" />
    </>
  ),
  minus: <path d="M3.25 8h9.5" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.25" />,
  moreVertical: <path d="M8 3.5h.01M8 8h.01M8 12.5h.01" strokeWidth="2.25" />,
  pause: <path d="M5.5 4v8M10.5 4v8" strokeWidth="2" />,
  people: (
    <>
      <circle cx="6" cy="6" r="2.25" />
      <path d="M1.75 13a4.25 4.25 0 0 1 8.5 0M10.5 3.9a2.25 2.25 0 0 1 0 4.2M11.75 9.2A4.25 4.25 0 0 1 14.25 13" />
    </>
  ),
  person: (
    <>
      <circle cx="8" cy="5.5" r="2.75" />
      <path d="M2.75 13.25a5.25 5.25 0 0 1 10.5 0" />
    </>
  ),
  play: <path d="M5.5 3.75v8.5L12 8z" />,
  retry: <path d="M13 5.5A5.5 5.5 0 0 0 3 6M3 10.5A5.5 5.5 0 0 0 13 10M13 2.5v3h-3M3 13.5v-3h3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.25 3.25" />
    </>
  ),
  services: (
    <>
      <rect x="2.5" y="2.75" width="11" height="4.25" rx="1.25" />
      <rect x="2.5" y="9" width="11" height="4.25" rx="1.25" />
      <path d="M5 4.9h.01M5 11.1h.01M8 4.9h3M8 11.1h3" />
    </>
  ),
  signOut: <path d="M9.5 2.75H4.25a1 1 0 0 0-1 1v8.5a1 1 0 0 0 1 1H9.5M7 8h6.5m0 0L11 5.5M13.5 8 11 10.5" />,
  sort: <path d="M4.5 3v10m0 0L2.5 11m2 2 2-2M9 4h4.5M9 8h3M9 12h1.5" />,
  star: <path d="m8 2.5 1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8L2.5 6.5 6.3 6z" />,
  table: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.25" />
      <path d="M2.5 6.5h11M2.5 9.75h11M6.5 6.5V13" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
    </>
  ),
  trash: <path d="M3 4.5h10M6.25 4.5V3h3.5v1.5M4.25 4.5l.6 8a1 1 0 0 0 1 1h4.3a1 1 0 0 0 1-1l.6-8" />,
  undo: <path d="M2.75 8a5.25 5.25 0 1 0 1.6-3.75L2.75 5.75M2.75 2.75v3h3" />,
  up: <path d="m4 10 4-4 4 4" />,
  upload: <path d="M8 9.75v-7m0 0L5 5.5m3-2.75 3 2.75M3 12.75h10" />,
} satisfies Record<string, ReactElement>

export type IconName = keyof typeof ICONS

export function Mark(): ReactElement {
  return (
    <svg className={styles.mark} viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" className={styles.ground} />
      <path className={styles.letter} d="M5 14.2 10 5l5 9.2M7.4 10.8h5.2" />
    </svg>
  )
}
