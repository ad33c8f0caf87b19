import { useElementScrollRestoration } from '@tanstack/react-router'
import {
  type FocusEvent,
  type MouseEvent,
  type ReactElement,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import type { Sort } from '../shared/sorts.ts'
import badgesStyles from '../shared/ui/badges.module.css'
import { join } from '../shared/ui/class-names.ts'
import type { ColumnId } from './column-ids.ts'
import { COLUMNS } from './columns.tsx'
import styles from './fleet.module.css'
import { isModified, type ListProps } from './list-props.ts'
import { ListTail } from './list-tail.tsx'
import { TableHead } from './table-head.tsx'
import { TableRow } from './table-row.tsx'
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
