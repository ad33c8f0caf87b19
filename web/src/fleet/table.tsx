import { useElementScrollRestoration } from '@tanstack/react-router'
import {
  type FocusEvent,
  type MouseEvent,
  memo,
  type ReactElement,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import type { Sort } from '../shared/search.ts'
import badgesStyles from '../shared/ui/badges.module.css'
import { join } from '../shared/ui/class-names.ts'
import inputsStyles from '../shared/ui/inputs.module.css'
import { Checkbox } from '../shared/ui/inputs.tsx'
import { Column } from '../shared/ui/table.tsx'
import styles from './list.module.css'
import { type FleetRow, tintOf } from './list.ts'
import { COLUMNS, isModified, type ListProps, ListTail } from './list-parts.tsx'
import { type ColumnId, nextSort, sortedBy } from './search.ts'
import { ROW, useTableRows } from './table-rows.ts'

/** The next page is asked for when so many rows are left below the last one that is drawn. */
const AHEAD = 60
const SCROLLER = 'fleet'

interface TableProps extends ListProps {
  columns: readonly ColumnId[]
  sort: Sort
  onSort: (sort: Sort) => void
  onSelectAll: (select: boolean) => void
}

/** A table of any length: only the rows in view, and some around them, are in the document. */
export function FleetTable(props: TableProps): ReactElement {
  const { rows, total, columns, sort, selection, cursor, hasMore, busy, failure, onMore, listKey } = props
  const scroller = useRef<HTMLDivElement>(null)
  const offset = useElementScrollRestoration({ id: SCROLLER })?.scrollY ?? 0
  const count = rows.length + (hasMore ? 1 : 0)
  const { drawn, to, range, show, onFocus, onBlur } = useTableRows(scroller, rows, count, offset)

  useEffect(() => {
    if (hasMore && !busy && failure === undefined && to > rows.length - AHEAD) onMore()
  }, [hasMore, busy, failure, to, rows.length, onMore])

  // Other filters begin at the top; Back to them begins where they were left.
  const shown = useRef(listKey)
  useEffect(() => {
    if (shown.current === listKey) return
    shown.current = listKey
    scroller.current?.scrollTo(0, offset)
  }, [listKey, offset])

  useImperativeHandle(props.handle, () => ({
    focus: (index) => {
      show(index)
      const link = `tr[aria-rowindex="${index + 2}"] a`
      scroller.current?.querySelector<HTMLElement>(link)?.focus({ preventScroll: true })
    },
    range,
  }))

  const all = useMemo(() => rows.length > 0 && rows.every(({ id }) => selection.has(id)), [rows, selection])
  const tracks = columns.map((id) => COLUMNS[id].width).join(' ')
  return (
    <div className={styles.scroller} ref={scroller} data-scroll-restoration-id={SCROLLER}>
      {/* One handler for all rows: the links and checkboxes inside have the focus and the keys. */}
      <table
        className={join(badgesStyles.inCells, styles.grid)}
        aria-label="Agents"
        aria-rowcount={total === undefined ? -1 : total + 1}
        style={{ '--tracks': tracks } as React.CSSProperties}
        onClick={(event) => onClick(event, props)}
        onFocus={(event) => {
          onFocus(event)
          moveCursor(event, props)
        }}
        onBlur={onBlur}
      >
        <TableHead
          columns={columns}
          sort={sort}
          onSort={props.onSort}
          selected={all ? 'all' : selection.size > 0 ? 'some' : 'none'}
          onSelectAll={props.onSelectAll}
        />
        <tbody style={{ height: count * ROW }}>
          {drawn.map(({ element, row, index, start }) => (
            <TableRow
              key={element}
              row={row}
              index={index}
              start={start}
              selected={selection.has(row.id)}
              current={row.id === cursor}
              columns={columns}
              {...props.peopleOf(row)}
              href={props.hrefOf(row.id)}
            />
          ))}
          {to > rows.length ? (
            <tr key="tail" className={styles.tail} style={{ top: rows.length * ROW }}>
              <td>
                <ListTail failure={failure} onMore={onMore} />
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  )
}

function onClick(event: MouseEvent, { onOpen, onToggle }: ListProps): void {
  const target = event.target as HTMLElement
  const id = target.closest<HTMLElement>('tr[data-id]')?.dataset['id']
  if (id === undefined) return
  if (target.closest('[data-check]') !== null) onToggle(id, event.shiftKey)
  else if (target.closest('[data-open]') !== null && !isModified(event)) {
    event.preventDefault()
    onOpen(id)
  }
}

function moveCursor(event: FocusEvent, { onCursor, cursor }: ListProps): void {
  const id = event.target.closest<HTMLElement>('tr[data-id]')?.dataset['id']
  if (id !== undefined && id !== cursor) onCursor(id)
}

interface TableRowProps {
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
const TableRow = memo(function TableRow(props: TableRowProps): ReactElement {
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

interface TableHeadProps {
  columns: readonly ColumnId[]
  sort: Sort
  onSort: (sort: Sort) => void
  /** Of the rows that are loaded. */
  selected: 'none' | 'some' | 'all'
  onSelectAll: (select: boolean) => void
}

/** Not drawn again while the table scrolls. */
const TableHead = memo(function TableHead(props: TableHeadProps): ReactElement {
  const { columns, sort, onSort, selected, onSelectAll } = props
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">
          <Checkbox
            aria-label="Select the agents that are loaded"
            checked={selected === 'all'}
            partly={selected === 'some'}
            onChange={() => onSelectAll(selected !== 'all')}
          />
        </th>
        {columns.map((id) => {
          const { label, sort: by } = COLUMNS[id]
          return (
            <Column
              key={id}
              sorted={by === undefined ? undefined : sortedBy(sort, by)}
              onSort={by === undefined ? undefined : () => onSort(nextSort(sort, by))}
            >
              {label}
            </Column>
          )
        })}
      </tr>
    </thead>
  )
})
