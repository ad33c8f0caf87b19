import type { AgentFacets, AgentFilters } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { useOff } from '../auth/permissions.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { formatCount, plural } from '../shared/format.ts'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { Mark } from '../shared/ui/icon.tsx'
import { Menu, MenuItem } from '../shared/ui/menu.tsx'
import { PageHead } from '../shared/ui/page.tsx'
import { exportFleet } from './export.ts'
import styles from './fleet.module.css'

interface HeadProps {
  /** Of the agents that match. */
  counts: AgentFacets | undefined
  all: AgentFacets | undefined
  filters: AgentFilters
  phone: boolean
  /** Agents created since the list was loaded. */
  created: number
  /** Events were missed: the list may be old. */
  old: boolean
  onReload: () => void
  onCreate: () => void
  onImport: () => void
  onSearch: () => void
}

export function Head(props: HeadProps): ReactElement {
  const { counts, all, filters, phone, created, old, onReload, onCreate, onImport, onSearch } = props
  const off = useOff('agent:write')
  return (
    <PageHead mark={phone ? <Mark /> : null} title="Fleet" note={noteOf(counts, all, phone)}>
      {/* Above the list, where it moves no row. */}
      <span role="status" className={styles.news}>
        {created > 0 || old ? (
          <Button icon="retry" onClick={onReload}>
            {created > 0 ? plural(created, 'new agent') : 'Reload the list'}
          </Button>
        ) : null}
      </span>
      {phone ? (
        <>
          <PhoneLiveState />
          <IconButton icon="search" label="Search by name" onClick={onSearch} />
          <IconButton icon="add" label="New agent" variant="primary" off={off} onClick={onCreate} />
        </>
      ) : (
        <>
          <ExportMenu filters={filters} count={counts?.count} />
          <Button variant="quiet" icon="upload" off={off} onClick={onImport}>
            Import
          </Button>
          <Button variant="primary" icon="add" shortcut="N" off={off} onClick={onCreate}>
            New agent
          </Button>
        </>
      )}
    </PageHead>
  )
}

function noteOf(counts: AgentFacets | undefined, all: AgentFacets | undefined, phone: boolean): string {
  if (counts === undefined || all === undefined) return ''
  const more = counts.approximate ? '+' : ''
  const matching = `${formatCount(counts.count)}${more}`
  if (phone) return matching
  if (counts.count === all.count) return `${matching} ${all.count === 1 ? 'agent' : 'agents'}`
  return `${matching} of ${formatCount(all.count)}${all.approximate ? '+' : ''} agents`
}

function ExportMenu({ filters, count }: { filters: AgentFilters; count: number | undefined }): ReactElement {
  const what = count === undefined ? 'the agents' : plural(count, 'agent')
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon="download">
          Export
        </Button>
      }
    >
      <MenuItem onSelect={() => void exportFleet(filters, 'csv')}>Export {what} as CSV</MenuItem>
      <MenuItem onSelect={() => void exportFleet(filters, 'ndjson')}>Export {what} as NDJSON</MenuItem>
    </Menu>
  )
}
