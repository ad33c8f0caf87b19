import { type ReactElement, useEffect, useRef, useState } from 'react'
import { keys, queryClient } from '../../api/client.ts'
import { useOff } from '../../auth/permissions.ts'
import { formatCount, nowSeconds } from '../../shared/format.ts'
import { StageGlyph } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import { exportRows } from '../export.ts'
import { type FleetRow, replaceRows, type useList } from '../list.ts'
import type { SelectionState } from '../selection.ts'
import styles from './bulk.module.css'
import { type BulkKind, type BulkOutcome, loadRows } from './change.ts'
import { BulkDialog } from './dialog.tsx'

/** Pages are loaded for a selection only up to this number of agents. */
const MOST = 500

interface BulkActionsProps {
  query: ReturnType<typeof useList>['query']
  rows: readonly FleetRow[]
  total: number | undefined
  /** Names the filters and the order of the list. */
  listKey: string
  selection: SelectionState
}

export function BulkActions(props: BulkActionsProps): ReactElement | null {
  const { query, rows, total, listKey, selection } = props
  const [open, setOpen] = useState<{ kind: BulkKind; rows: readonly FleetRow[] }>()
  const { selection: selected, select, clear } = selection
  const wanted = Math.min(MOST, total ?? 0)
  const shownList = useRef(listKey)
  useEffect(() => {
    shownList.current = listKey
  }, [listKey])
  const selectMore = async (): Promise<void> => {
    const isSameList = (): boolean => shownList.current === listKey
    const loaded = await loadRows(rows, wanted, { fetchNextPage: query.fetchNextPage, isSameList })
    if (loaded !== undefined) select(loaded)
  }
  /** As they are now; some may have changed since they were selected. */
  const current = (): FleetRow[] => {
    const byId = new Map(rows.map((row) => [row.id, row]))
    return [...selected.values()].map((row) => byId.get(row.id) ?? row)
  }
  return (
    <>
      {selected.size === 0 ? null : (
        <BulkBar
          count={selected.size}
          onSelectMore={
            selected.size < wanted && selected.size >= rows.length && !query.isPlaceholderData
              ? () => void selectMore()
              : undefined
          }
          selectMore={
            wanted < (total ?? 0) ? `Select the first ${MOST}` : `Select all ${formatCount(wanted)}`
          }
          onClear={clear}
          onBulk={(kind) => setOpen({ kind, rows: current() })}
          onExport={() => exportRows(current())}
        />
      )}
      {open === undefined ? null : (
        <BulkDialog
          {...open}
          onClose={() => setOpen(undefined)}
          onDone={(outcomes, to) => {
            show(open.kind, to, outcomes)
            const refused = new Set(outcomes.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : [])))
            select(open.rows.filter(({ id }) => refused.has(id)))
          }}
        />
      )}
    </>
  )
}

const FIELDS = { stage: 'stage', status: 'status', protection: 'protection', archive: 'status' } as const

/** The rows show it at once, without waiting for the live events. */
function show(kind: BulkKind, to: string, outcomes: readonly BulkOutcome[]): void {
  const made = new Map(
    outcomes.flatMap(({ id, outcome, revision }) => (outcome === 'changed' ? [[id, revision]] : [])),
  )
  replaceRows((row) => {
    const revision = made.get(row.id)
    if (typeof revision !== 'number') return row
    return { ...row, [FIELDS[kind]]: to, revision, updatedAt: nowSeconds(), changes: row.changes + 1 }
  })
  void queryClient.invalidateQueries({ queryKey: keys.allFacets })
}

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
function BulkBar({ count, onSelectMore, selectMore, onClear, onBulk, onExport }: BulkBarProps): ReactElement {
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
