import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  type ReactElement,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ProtectionBadge, Score, StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import styles from './list.module.css'
import { type FleetRow, tintOf } from './list.ts'
import { isModified, type ListProps, ListTail, When } from './list-parts.tsx'

const CARD = 94
const AHEAD = 30

/** The list on a narrow screen. The window scrolls, so that the browser's own bars can make room. */
export function FleetCards(props: ListProps): ReactElement {
  const { rows, total, hasMore, busy, failure, onMore, peopleOf, hrefOf, onOpen, handle } = props
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    estimateSize: () => CARD,
    getItemKey: (index) => rows[index]?.id ?? 'tail',
    overscan: 6,
    scrollMargin: top,
    initialOffset: () => window.scrollY,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !busy && failure === undefined && last >= rows.length - AHEAD) onMore()
  }, [hasMore, busy, failure, last, rows.length, onMore])
  useImperativeHandle(handle, () => ({
    focus: (index) => virtual.scrollToIndex(index),
    range: () => [items[0]?.index ?? 0, last],
  }))
  return (
    // The links inside have the focus and the keys.
    <ul
      ref={list}
      className={styles.cards}
      aria-label="Agents"
      style={{ height: virtual.getTotalSize() }}
      onClick={(event) => {
        const id = (event.target as HTMLElement).closest<HTMLElement>('[data-open]')?.dataset['open']
        if (id === undefined || isModified(event)) return
        event.preventDefault()
        onOpen(id)
      }}
    >
      {items.map(({ index, start }) => {
        const row = rows[index]
        return (
          <li
            key={row?.id ?? 'tail'}
            ref={virtual.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={total ?? -1}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {row === undefined ? (
              <div className={styles.card}>
                <ListTail failure={failure} onMore={onMore} />
              </div>
            ) : (
              <Card row={row} changer={peopleOf(row).changer} href={hrefOf(row.id)} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

interface CardProps {
  row: FleetRow
  changer: string | null | undefined
  href: string
}

const Card = memo(function Card({ row, changer, href }: CardProps): ReactElement {
  return (
    <a
      className={join(styles.card, 'focus-in', row.deleted && 't3', styles[tintOf(row) ?? ''])}
      href={href}
      data-open={row.id}
    >
      <span className="row top">
        <span className={join(styles.title, 'grow')}>{row.name}</span>
        <Score value={row.score} behind={row.behind} outdated={row.outdated} />
      </span>
      <span className={styles.facts}>
        <StatusBadge value={row.status} />
        <StageBadge value={row.stage} />
        <ProtectionBadge value={row.protection} />
      </span>
      <span className="row sm t2">
        <span className="mono cut">{row.model}</span>
        <span className="sp" />
        <When at={row.updatedAt} who={changer} />
      </span>
    </a>
  )
})
