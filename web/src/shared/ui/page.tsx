import type { ReactElement, ReactNode } from 'react'
import { join } from './class-names.ts'
import styles from './page.module.css'

interface PageHeadProps {
  /** Before the title. */
  mark?: ReactNode
  title: string
  /** Beside the title: a count. */
  note?: ReactNode
  /** At the right: at most one primary button. */
  children?: ReactNode
}

export function PageHead({ mark, title, note, children }: PageHeadProps): ReactElement {
  return (
    <header className={styles.head}>
      {mark}
      <h1 tabIndex={-1}>{title}</h1>
      {note === undefined ? null : <span className="t3 num">{note}</span>}
      <span className="sp" />
      {children}
    </header>
  )
}

interface CardProps {
  title?: ReactNode
  /** At the right of the title. */
  aside?: ReactNode
  /** Without the inner margin: for lists and tables. */
  flush?: boolean
  footer?: ReactNode
  className?: string | undefined
  children: ReactNode
}

export function Card({ title, aside, flush = false, footer, className, children }: CardProps): ReactElement {
  return (
    <section className={join(styles.card, className)}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {aside === undefined ? null : (
            <>
              <span className="sp" />
              {aside}
            </>
          )}
        </header>
      )}
      {flush ? children : <div className={styles.inset}>{children}</div>}
      {footer === undefined ? null : <footer>{footer}</footer>}
    </section>
  )
}

/** Name and value pairs. */
export function DescriptionList({
  items,
}: {
  items: readonly (readonly [string, ReactNode])[]
}): ReactElement {
  return (
    <dl className={styles.pairs}>
      {items.map(([name, value]) => (
        <div key={name} className={styles.pair}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface BannerProps {
  tone?: 'warn' | 'danger' | 'accent'
  icon: ReactElement
  title: ReactNode
  /** Announced at once instead of when the reader is idle. */
  urgent?: boolean
  actions?: ReactNode
  children?: ReactNode
}

const TONES = { warn: styles.warn, danger: styles.danger, accent: styles.accent }

/** Stands above the content it speaks of, and covers nothing. */
export function Banner({ tone, icon, title, urgent = false, actions, children }: BannerProps): ReactElement {
  return (
    <div
      className={join(styles.banner, tone !== undefined && TONES[tone])}
      role={urgent ? 'alert' : 'status'}
    >
      <span className={tone === 'accent' ? 'acc-t' : tone === undefined ? 't2' : `${tone}-t`}>{icon}</span>
      <div className="grow">
        <div className="b6">{title}</div>
        {children === undefined ? null : <div className="t2 sm">{children}</div>}
      </div>
      {actions}
    </div>
  )
}
