import type { ReactElement } from 'react'
import { join } from '../../shared/ui/class-names.ts'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { TextDiff } from '../../shared/ui/diff.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import type { MergedField } from '../fields/merge.ts'
import styles from './configuration.module.css'

interface ConflictComparisonProps {
  open: boolean
  onClose: () => void
  rows: readonly MergedField[]
  revision: number
}

/** What each side changed, field by field. */
export function ConflictComparison({ open, onClose, rows, revision }: ConflictComparisonProps): ReactElement {
  return (
    <Dialog open={open} onClose={onClose} title="My edits and theirs" kind="sheet">
      {rows.map((row) => (
        <section key={row.path} className="col">
          <h3 className="b6">{row.label}</h3>
          <div className={styles.pair}>
            <Side title="Mine" before={row.base} after={row.mine} />
            <Side title={`Theirs, r${revision}`} before={row.base} after={row.theirs} />
          </div>
        </section>
      ))}
    </Dialog>
  )
}

function Side({ title, before, after }: { title: string; before: string; after: string }): ReactElement {
  return (
    <div className={pageStyles.card}>
      <header>
        <span className="sm b5">{title}</span>
      </header>
      {before === after ? (
        <p className={join(pageStyles.inset, 'sm t3')}>Not changed</p>
      ) : (
        <TextDiff before={before} after={after} />
      )}
    </div>
  )
}
