import type { ReactElement } from 'react'
import { useOff } from '../../auth/permissions.ts'
import { formatCount } from '../../shared/numbers.ts'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import styles from '../fleet.module.css'
import type { BulkKind } from './change.ts'

interface BulkBarProps {
  count: number
  /** Absent: all are selected, or 500 are. */
  onSelectMore?: (() => void) | undefined
  selectMore: string
  onClear: () => void
  onBulk: (kind: BulkKind) => void
  onExport: () => void
}

/** Takes the row below the table, so that it covers no agent. */
export function BulkBar({
  count,
  onSelectMore,
  selectMore,
  onClear,
  onBulk,
  onExport,
}: BulkBarProps): ReactElement {
  const write = useOff('agent:write')
  const lifecycle = useOff('agent:lifecycle')
  return (
    <div className={join(pageStyles.dock, styles.bulk)} role="region" aria-label="Selected agents">
      <span className="b6" role="status">
        {formatCount(count)} selected
      </span>
      <Button variant="quiet" className={styles.bulkQuiet} shortcut="Esc" onClick={onClear}>
        Clear
      </Button>
      {onSelectMore === undefined ? null : (
        <Button variant="quiet" className={styles.bulkQuiet} onClick={onSelectMore}>
          {selectMore}
        </Button>
      )}
      <span className="vsep" />
      <Button off={lifecycle} onClick={() => onBulk('stage')}>
        <StageGlyph value="adapted" />
        Move stage
      </Button>
      <Button icon="info" off={write} onClick={() => onBulk('status')}>
        Set status
      </Button>
      <Button icon="lock" off={write} onClick={() => onBulk('protection')}>
        Protection
      </Button>
      <Button icon="archive" off={write} onClick={() => onBulk('archive')}>
        Archive
      </Button>
      <Button icon="download" onClick={onExport}>
        Export CSV
      </Button>
      <span className="sp" />
      <span className={join(styles.muted, 'sm')}>You see a preview first</span>
    </div>
  )
}
