import { useElementScrollRestoration } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type MouseEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react'
import type { ColumnId } from './column-ids.ts'
import { COLUMNS, type People } from './columns.tsx'
import { ListTail, type TailProps } from './list-tail.tsx'
import type { FleetRow } from './row.ts'
import type { Sort } from './sorts.ts'
import { TableHead } from './table-head.tsx'
import { TableRow } from './table-row.tsx'

const ROW = 36
const HEAD = 32
const OVERSCAN = 2
/** The next page is asked for when so many rows are left below the last one that is drawn. */
const AHEAD = 60
const SCROLLER = 'fleet'

export interface ListHandle {
  /** Scrolls the row into view and gives its link the focus. */
  focus: (index: number) => void
  /** The rows that are drawn. */
  range: () => readonly [from: number, to: number]
}

export interface ListProps extends TailProps {
  rows: readonly FleetRow[]
  /** Of all pages; undefined while it is not known. */
  total: number | undefined
  selection: ReadonlyMap<string, FleetRow>
  cursor: string | undefined
  peopleOf: (row: FleetRow) => People
  hrefOf: (id: string) => string
  /** Equal for the same filters and order. */
  listKey: string
  handle: RefObject<ListHandle | null>
  onOpen: (id: string) => void
  onToggle: (id: string, range: boolean) => void
  onCursor: (id: string) => void
}

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
  const left = useElementScrollRestoration({ id: SCROLLER })
  // The library changes its object in place; the React compiler, which is not used here, could not cope with it.
  const virtual = useVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.id ?? 'tail',
    overscan: OVERSCAN,
    scrollPaddingEnd: HEAD,
    initialOffset: left?.scrollY ?? 0,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0

  useEffect(() => {
    if (hasMore && !busy && failure === undefined && last >= rows.length - AHEAD) onMore()
  }, [hasMore, busy, failure, last, rows.length, onMore])

  // Other filters begin at the top; Back to them begins where they were left.
  const shown = useRef(listKey)
  const offset = left?.scrollY ?? 0
  useEffect(() => {
    if (shown.current === listKey) return
    shown.current = listKey
    scroller.current?.scrollTo(0, offset)
  }, [listKey, offset])

  useImperativeHandle(props.handle, () => ({
    focus: (index) => {
      virtual.scrollToIndex(index, { align: 'auto' })
      const id = rows[index]?.id
      const focusLink = (): void =>
        scroller.current?.querySelector<HTMLElement>(`tr[data-id="${id}"] a`)?.focus({ preventScroll: true })
      // The row may have to be drawn first.
      requestAnimationFrame(() => requestAnimationFrame(focusLink))
    },
    range: () => [items[0]?.index ?? 0, last],
  }))

  const all = rows.length > 0 && rows.every(({ id }) => selection.has(id))
  const tracks = columns.map((id) => COLUMNS[id].width).join(' ')
  return (
    <div className="tbl-scroll" ref={scroller} data-scroll-restoration-id={SCROLLER}>
      {/* One handler for all rows: the links and checkboxes inside have the focus and the keys. */}
      <table
        className="grid vgrid"
        aria-label="Agents"
        aria-rowcount={total === undefined ? -1 : total + 1}
        style={{ '--tracks': tracks } as React.CSSProperties}
        onClick={(event) => onClick(event, props)}
        onFocus={(event) => onFocus(event, props)}
      >
        <TableHead
          columns={columns}
          sort={sort}
          onSort={props.onSort}
          selected={all ? 'all' : selection.size > 0 ? 'some' : 'none'}
          onSelectAll={props.onSelectAll}
        />
        <tbody style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index]
            if (row === undefined) {
              return (
                <tr key="tail" className="tail" style={{ top: start }}>
                  <td>
                    <ListTail failure={failure} onMore={onMore} />
                  </td>
                </tr>
              )
            }
            return (
              <TableRow
                key={row.id}
                row={row}
                index={index}
                start={start}
                selected={selection.has(row.id)}
                current={row.id === cursor}
                columns={columns}
                {...props.peopleOf(row)}
                href={props.hrefOf(row.id)}
              />
            )
          })}
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

/** A new tab or window is the browser's business. */
export function isModified({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || ctrlKey || metaKey || shiftKey || altKey
}

function onFocus(event: FocusEvent, { onCursor, cursor }: ListProps): void {
  const id = event.target.closest<HTMLElement>('tr[data-id]')?.dataset['id']
  if (id !== undefined && id !== cursor) onCursor(id)
}
