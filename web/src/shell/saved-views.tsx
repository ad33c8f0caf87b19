import { type ReactElement, useState } from 'react'
import { useViews } from '../api/views.ts'
import { useOpenView } from './open-view.ts'
import styles from './shell.module.css'
import { ViewLink } from './view-link.tsx'
import { ViewMenu } from './view-menu.tsx'

const FIRST = 8

export function SavedViews(): ReactElement | null {
  const views = useViews()
  const current = useOpenView()
  const [all, setAll] = useState(false)
  if (views.length === 0) return null
  const shown = all ? views : views.slice(0, FIRST)
  return (
    <div className={styles.views}>
      <h2>Saved views</h2>
      <ul>
        {shown.map((view) => (
          <li key={`${view.scope}/${view.name}`} className={styles.viewLine}>
            <ViewLink view={view} isOpen={view === current} />
            <ViewMenu view={view} />
          </li>
        ))}
      </ul>
      {shown.length < views.length ? (
        <button type="button" className="facet-more link" onClick={() => setAll(true)}>
          {views.length - shown.length} more
        </button>
      ) : null}
    </div>
  )
}
