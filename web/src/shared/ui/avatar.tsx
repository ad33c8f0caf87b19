import type { ReactElement } from 'react'
import styles from './badges.module.css'
import { join } from './class-names.ts'
import { Icon } from './icon.tsx'

interface AvatarProps {
  /** null: the name is not known; the avatar shows a figure. */
  name: string | null
  kind?: 'person' | 'service'
  large?: boolean
  /** The name does not stand beside it: screen readers read it here. */
  alone?: boolean
}

/** Round for people, square for services. */
export function Avatar(props: AvatarProps): ReactElement {
  const { name, kind = 'person', large = false, alone = false } = props
  const title = name ?? 'Unknown'
  return (
    <span
      className={join(styles.avatar, large && styles.large, kind === 'service' && styles.service)}
      title={title}
      {...(alone ? { role: 'img', 'aria-label': title } : { 'aria-hidden': true })}
    >
      {kind === 'service' ? (
        <Icon name="services" size="xs" />
      ) : (
        (initials(name) ?? <Icon name="person" size="xs" />)
      )}
    </span>
  )
}

function initials(name: string | null): string | undefined {
  const parts = (name ?? '').split(/[\s.@_-]+/).filter((part) => /^\p{L}/u.test(part))
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map((part) => part?.charAt(0) ?? '')
  return letters.join('').toUpperCase() || undefined
}
