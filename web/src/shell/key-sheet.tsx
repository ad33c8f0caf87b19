import { Fragment, type ReactElement } from 'react'
import { shownKeys, switchSingleKeys, useShortcuts, useSingleKeysOn } from '../shared/keys.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Switch } from '../shared/ui/inputs.tsx'
import { Kbd } from '../shared/ui/kbd.tsx'
import styles from './shell.module.css'

/** All keys that work on this page. */
export function KeySheet({ onClose }: { onClose: () => void }): ReactElement {
  const shortcuts = useShortcuts()
  const on = useSingleKeysOn()
  const groups = Map.groupBy(shortcuts, ({ group }) => group)
  return (
    <Dialog open onClose={onClose} title="Keys">
      <div className={styles.keySheet}>
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3 className="sm t2">{group}</h3>
            <dl>
              {entries.map(({ keys, label }) => (
                <Fragment key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {shownKeys(keys).map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch checked={on} onChange={(event) => switchSingleKeys(event.target.checked)}>
        Single-letter keys
      </Switch>
    </Dialog>
  )
}
