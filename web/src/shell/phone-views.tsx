import type { ReactElement } from 'react'
import { useViews } from '../api/views.ts'
import { useOpenView } from './open-view.ts'
import styles from './shell.module.css'
import { ViewLink } from './view-link.tsx'

/** The saved views on a phone, which has no room for them in its navigation. */
export function PhoneViews({ onOpen }: { onOpen: () => void }): ReactElement | null {
  const views = useViews()
  const current = useOpenView()
  if (views.length === 0) return null
  return (
    <section>
      <h3 className="sm t2">Saved views</h3>
      <ul className={styles.phoneViews}>
        {views.map((view) => (
          <li key={`${view.scope}/${view.name}`}>
            <ViewLink view={view} isOpen={view === current} onClick={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  )
}
