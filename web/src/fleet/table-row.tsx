import { memo, type ReactElement } from 'react'
import { join } from '../shared/ui/class-names.ts'
import inputsStyles from '../shared/ui/inputs.module.css'
import type { ColumnId } from './column-ids.ts'
import { COLUMNS } from './columns.tsx'
import styles from './fleet.module.css'
import { type FleetRow, tintOf } from './row.ts'

export interface TableRowProps {
  row: FleetRow
  index: number
  /** Distance from the first row in pixels. */
  start: number
  selected: boolean
  current: boolean
  columns: readonly ColumnId[]
  changer: string | null | undefined
  creator: string | null | undefined
  href: string
}

/**
 * Has no handlers of its own: the table has one for all rows. Drawn again only if one of these values differs. Shows
 * another agent when the table has scrolled, so it keeps nothing of an agent.
 */
export const TableRow = memo(function TableRow(props: TableRowProps): ReactElement {
  const { row, index, start, selected, current, columns, changer, creator, href } = props
  return (
    <tr
      data-id={row.id}
      aria-rowindex={index + 2}
      className={join(
        selected && styles.selected,
        current && styles.current,
        row.deleted && styles.dim,
        styles[tintOf(row) ?? ''],
      )}
      style={{ top: start }}
    >
      <td>
        <input
          type="checkbox"
          className={inputsStyles.checkbox}
          checked={selected}
          readOnly
          aria-label={`Select ${row.name}`}
          data-check=""
        />
      </td>
      {columns.map((id) =>
        id === 'agent_name' ? (
          <td key={id} className={styles.nameCell}>
            <a className={join(styles.name, 'focus-in')} href={href} data-open="" title={row.name}>
              {row.name}
            </a>
            <span className={styles.purpose}>{row.deleted ? 'Deleted' : row.purpose}</span>
          </td>
        ) : (
          <td key={id} className={COLUMNS[id].className}>
            {COLUMNS[id].cell(row, { changer, creator })}
          </td>
        ),
      )}
    </tr>
  )
})
