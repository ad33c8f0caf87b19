import type { ReactElement } from 'react'
import { formatClockSeconds, formatDay, formatMs, formatShare, nowSeconds } from '../src/shared/format.ts'
import { ProtectionBadge, Score, StageBadge, StatusBadge } from '../src/shared/ui/badges.tsx'
import { Checkbox } from '../src/shared/ui/inputs.tsx'
import { Card, DescriptionList } from '../src/shared/ui/page.tsx'
import { RelativeTime } from '../src/shared/ui/relative-time.tsx'
import tableStyles from '../src/shared/ui/table.module.css'
import { Column, Table } from '../src/shared/ui/table.tsx'
import styles from './gallery.module.css'

const ROWS = [
  {
    name: 'Claims intake — Großschaden & Kasko (Österreich)',
    status: 'active',
    stage: 'hardened',
    age: 120,
    behind: 3,
    className: tableStyles.selected,
  },
  {
    name: 'Помощник закупок — Almaty',
    status: 'pending',
    stage: 'registered',
    age: 3600,
    behind: 0,
    className: tableStyles.current,
  },
  {
    name: 'Legacy IVR fallback',
    status: 'deprecated',
    stage: 'tested',
    age: 200_000,
    behind: 31,
    className: tableStyles.dim,
  },
]

export function DataSection(): ReactElement {
  const now = nowSeconds()
  return (
    <>
      <Card title="Table: chosen, cursor, dim" flush className={styles.wideCard}>
        <Table label="Agents" fixed>
          <thead>
            <tr>
              <Column width={90}>
                <Checkbox partly aria-label="All agents" />
              </Column>
              <Column sorted="ascending" onSort={() => undefined}>
                Name
              </Column>
              <Column width={130}>Status</Column>
              <Column width={110}>Stage</Column>
              <Column width={130}>Protection</Column>
              <Column width={110}>Score</Column>
              <Column width={130}>Last change</Column>
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row.name} className={row.className}>
                <td>
                  <Checkbox defaultChecked={row.className === tableStyles.selected} aria-label={row.name} />
                </td>
                <td>
                  <span className="b5">{row.name}</span>
                </td>
                <td>
                  <StatusBadge value={row.status} />
                </td>
                <td>
                  <StageBadge value={row.stage} />
                </td>
                <td>
                  <ProtectionBadge value="configured" />
                </td>
                <td>
                  <Score value={row.behind === 0 ? null : 0.87} behind={row.behind} />
                </td>
                <td>
                  <RelativeTime at={now - row.age} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Card>
      <Card title="Description list">
        <DescriptionList
          items={[
            ['Purpose', 'Takes first notice of loss in German and hands the file to an adjuster'],
            [
              'Endpoint',
              <span key="url" className="mono">
                https://claims.example.at/v2/intake
              </span>,
            ],
            [
              'Skills',
              <span key="none" className="t3">
                none described
              </span>,
            ],
            ['Share', formatShare(488, 2214)],
            ['Latency', formatMs(1240)],
            ['Clock', formatClockSeconds(now)],
            ['Day', formatDay(now)],
          ]}
        />
      </Card>
    </>
  )
}
