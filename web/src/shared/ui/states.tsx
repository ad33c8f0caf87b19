import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { join } from './class-names.ts'
import { CopyButton } from './copy.tsx'
import { Icon, type IconProps } from './icon.tsx'
import pageStyles from './page.module.css'
import { Banner } from './page.tsx'
import styles from './states.module.css'

/** A shorter wait shows nothing: a flash of grey bars is worse than a short pause. */
const LOADING_AFTER_MS = 200

interface StateProps {
  icon: IconProps['name']
  tone?: 'warn' | 'danger'
  title: string
  children: ReactNode
  /** At most two buttons. */
  actions?: ReactNode
  note?: ReactNode
}

export function State({ icon, tone, title, children, actions, note }: StateProps): ReactElement {
  return (
    <div className={styles.state}>
      <span className={join(styles.art, tone === 'warn' && styles.warn, tone === 'danger' && styles.danger)}>
        <Icon name={icon} size="l" />
      </span>
      <h3 tabIndex={-1}>{title}</h3>
      <p>{children}</p>
      {actions === undefined ? null : <div className="row wrap mt2">{actions}</div>}
      {note}
    </div>
  )
}

interface LoadingProps {
  /** What is loading, for screen readers: "agents". */
  what: string
  rows?: number
  /** The shape of the page; absent: rows of a table. */
  children?: ReactNode
}

const WIDTHS = [styles.w60, styles.w75, styles.w50, styles.w60, styles.w75, styles.w40, styles.w50]

export function Loading({ what, rows = 7, children }: LoadingProps): ReactElement {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), LOADING_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className={styles.loading}>
      <span className="hid">Loading {what}</span>
      {shown ? (children ?? <SkeletonRows rows={rows} />) : null}
    </div>
  )
}

export function SkeletonRows({ rows }: { rows: number }): ReactElement {
  return (
    <div aria-hidden="true" className={pageStyles.inset}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.row}>
          <span className={styles.bar} />
          <span className={join(styles.bar, WIDTHS[row % WIDTHS.length])} />
          <span className={join(styles.bar, styles.w40)} />
          <span className={join(styles.bar, styles.w50)} />
          <span className={join(styles.bar, styles.w40)} />
        </div>
      ))}
    </div>
  )
}

interface RefusedProps {
  /** "read the audit log": completes "You may not". */
  what: string
  permission: string
  /** The name of the caller. */
  name: string | null
  back?: ReactNode
}

export function Refused({ what, permission, name, back }: RefusedProps): ReactElement {
  const request =
    `Please give me the permission ${permission} in Agent Console, ` +
    `so that I can ${what}: ${location.href}`
  return (
    <State
      icon="lock"
      tone="warn"
      title={`You may not ${what}`}
      actions={
        <>
          <CopyButton text={request} label="Copy a request for access" done="Request copied" />
          {back}
        </>
      }
      note={name === null ? undefined : <span className="sm t3">Signed in as {name}</span>}
    >
      Your sign-in lacks the permission <span className="mono">{permission}</span>. Ask an owner of your team
      for it.
    </State>
  )
}

/** What the page shows of an error; made by api/problem.ts. */
export interface Failure {
  /** "The history could not be loaded" is the title; this is the sentence below it. */
  detail: string
  /** "503 database_unavailable" */
  code: string
  requestId: string | undefined
}

interface FailedProps {
  title: string
  failure: Failure
  onRetry?: (() => void) | undefined
}

export function Failed({ title, failure, onRetry }: FailedProps): ReactElement {
  const line = [failure.code, failure.requestId === undefined ? undefined : `req ${failure.requestId}`]
  const details = [title, failure.detail, ...line, location.href].filter(Boolean).join('\n')
  return (
    <State
      icon="alert"
      tone="danger"
      title={title}
      actions={
        <>
          {onRetry === undefined ? null : (
            <Button variant="primary" icon="retry" onClick={onRetry}>
              Try again
            </Button>
          )}
          <CopyButton text={details} label="Copy details" done="Details copied" />
        </>
      }
      note={<span className="mono t3">{line.filter(Boolean).join(' · ')}</span>}
    >
      {failure.detail}
    </State>
  )
}

interface StaleProps {
  /** "10:58" */
  since: string
  onReconnect: () => void
}

/** Above the list; nothing is greyed out, the page stays usable. */
export function Stale({ since, onReconnect }: StaleProps): ReactElement {
  return (
    <Banner
      tone="warn"
      icon={<Icon name="clock" />}
      title={`Live updates stopped at ${since}`}
      actions={
        <Button icon="retry" onClick={onReconnect}>
          Reconnect
        </Button>
      }
    >
      What you see may be older. The console tries again by itself.
    </Banner>
  )
}
