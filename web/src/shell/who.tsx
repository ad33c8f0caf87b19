import { type ReactElement, useState } from 'react'
import { useMe } from '../auth/permissions.ts'
import { chooseTheme, shownTheme } from '../shared/theme.ts'
import { Avatar } from '../shared/ui/avatar.tsx'
import { IconButton } from '../shared/ui/button.tsx'
import { Popover } from '../shared/ui/popover.tsx'
import { Identity } from './identity.tsx'
import styles from './shell.module.css'

/** At the foot of the navigation: who is signed in, and the theme. */
export function Who(): ReactElement {
  const me = useMe()
  const [theme, setTheme] = useState(shownTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <div className={styles.who}>
      <Popover
        side="top"
        className={styles.popover}
        trigger={
          <button type="button" className={styles.me}>
            <Avatar name={me.name} large />
            <span className="grow">
              <span className="b5 cut">{me.name ?? 'Signed in'}</span>
              <span className="sm t3 cut">
                Team{' '}
                <span className="mono" title={me.team_id}>
                  {me.team_id.slice(0, 8)}
                </span>
              </span>
            </span>
          </button>
        }
      >
        <Identity />
      </Popover>
      <IconButton
        icon="theme"
        label={`Switch to the ${other} theme`}
        onClick={() => {
          chooseTheme(other)
          setTheme(other)
        }}
      />
    </div>
  )
}
