import { type ReactElement, useState } from 'react'
import { useMe, useSession } from '../auth/permissions.ts'
import { switchSingleKeys, useSingleKeysOn } from '../shared/keys.ts'
import { PHONE, useMedia } from '../shared/media.ts'
import { chooseTheme, shownTheme, storedTheme, type Theme } from '../shared/theme.ts'
import { Avatar } from '../shared/ui/badges.tsx'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { CopyButton, ShortId } from '../shared/ui/copy.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { Segments, Switch } from '../shared/ui/inputs.tsx'
import { Popover } from '../shared/ui/menu.tsx'
import { PERMISSIONS } from '../shared/words.ts'
import styles from './shell.module.css'

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

/** Who am I, what may I do, how does it look. */
export function Identity(): ReactElement {
  const me = useMe()
  const session = useSession()
  const singleKeys = useSingleKeysOn()
  const phone = useMedia(PHONE)
  const [theme, setTheme] = useState<Theme>(storedTheme)
  return (
    <div className={'col col-4'}>
      <div>
        <div className="b6">{me.name ?? 'Signed in'}</div>
        <IdLine what="Team" id={me.team_id} />
        <IdLine what="User" id={me.user_id} />
      </div>
      <div>
        <h3 className="sm t2">What you may do</h3>
        <ul className={styles.permissions}>
          {Object.entries(PERMISSIONS).map(([permission, label]) => {
            const may = me.permissions.includes(permission)
            return (
              <li key={permission} className={may ? '' : 't3'}>
                <Icon name={may ? 'check' : 'lock'} size="s" className={may ? 'ok-t' : 't3'} />
                <span className="grow">
                  {label}
                  <span className="hid">{may ? ': yes' : ': no'}</span>
                </span>
                <span className="mono xs t3">{permission}</span>
              </li>
            )
          })}
        </ul>
      </div>
      <Segments
        label="Theme"
        value={theme}
        options={THEMES}
        onChange={(next) => {
          chooseTheme(next)
          setTheme(next)
        }}
      />
      {phone ? null : (
        <Switch checked={singleKeys} onChange={(event) => switchSingleKeys(event.target.checked)}>
          Single-letter keys
        </Switch>
      )}
      <Button onClick={() => void session.signOut()}>Sign out</Button>
    </div>
  )
}

/** The console knows teams by their ids only. */
function IdLine({ what, id }: { what: 'Team' | 'User'; id: string }): ReactElement {
  return (
    <div className="row sm t3">
      <span className="grow cut">
        {what} <ShortId id={id} />
      </span>
      <CopyButton
        iconOnly
        text={id}
        label={`Copy your ${what.toLowerCase()} id`}
        done={`${what} id copied`}
      />
    </div>
  )
}

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
