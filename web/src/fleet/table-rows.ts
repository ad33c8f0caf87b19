import { useVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { FleetRow } from './list.ts'

export const ROW = 36
const HEAD = 32
/** Rows that are drawn above and below the view. */
const AROUND = 2

interface FocusedRow {
  id: string
  index: number
  element: number
}

interface DrawnRow {
  element: number
  index: number
  row: FleetRow
  /** Distance from the first row in pixels. */
  start: number
}

interface TableRows {
  drawn: readonly DrawnRow[]
  /** The one after the last row that is drawn for the view. */
  to: number
  /** The first and the last row in view. */
  range: () => readonly [first: number, last: number]
  /** Scrolls no farther than needed, and draws the row at once. */
  show: (index: number) => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}

/**
 * The rows of the table that are in the document. The row with the focus stays when it is scrolled out of view, so that
 * Tab goes on from there.
 */
export function useTableRows(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly FleetRow[],
  count: number,
  initialOffset: number,
): TableRows {
  const [focused, setFocused] = useState<FocusedRow>()
  const pinned = focused !== undefined && rows[focused.index]?.id === focused.id ? focused.index : undefined
  /** As many rows are drawn for the view wherever it is, so that scrolling makes no elements. */
  const size = (): number =>
    Math.ceil(((virtual.scrollRect?.height ?? window.innerHeight) - HEAD) / ROW) + 1 + 2 * AROUND
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    estimateSize: () => ROW,
    getScrollElement: () => scroller.current,
    initialOffset,
    initialRect: { width: 0, height: window.innerHeight },
    // The head of the table covers as much of the scroller.
    scrollPaddingEnd: HEAD,
    rangeExtractor: ({ startIndex }): number[] => {
      const { from, to } = drawnRange(startIndex, size(), count)
      const indexes = Array.from({ length: to - from }, (_, at) => from + at)
      if (pinned === undefined || (pinned >= from && pinned < to)) return indexes
      return pinned < from ? [pinned, ...indexes] : [...indexes, pinned]
    },
  })

  const elements = size()
  const first = virtual.range?.startIndex ?? 0
  const items = virtual.getVirtualItems()
  const taken = focused && {
    element: focused.element,
    index: items.find(({ index }) => rows[index]?.id === focused.id)?.index,
  }
  const drawn = items.flatMap(({ index, start }) => {
    const row = rows[index]
    return row === undefined ? [] : [{ element: elementOf(index, elements, taken), index, row, start }]
  })

  // At rest, the elements are in the order of the rows. While the table scrolls they stay: moving is expensive.
  const restedAt = useRef(0)
  useLayoutEffect(() => {
    if (!virtual.isScrolling) restedAt.current = drawnRange(first, elements, count).from
  })
  const placeOf = ({ element }: DrawnRow): number =>
    (element - (restedAt.current % elements) + elements) % elements

  const focus = (index: number, id: string): void => {
    const next = { id, index, element: elementOf(index, elements, taken) }
    setFocused((before) => (before?.id === id && before.index === index ? before : next))
  }
  return {
    drawn: virtual.isScrolling ? drawn.toSorted((a, b) => placeOf(a) - placeOf(b)) : drawn,
    to: drawnRange(first, elements, count).to,
    range: () => [first, virtual.range?.endIndex ?? 0],
    show: (index) => {
      const id = rows[index]?.id
      if (id === undefined) return
      virtual.scrollToIndex(index)
      flushSync(() => focus(index, id))
    },
    onFocus: ({ target }) => {
      const row = target.closest<HTMLElement>('tr[data-id]')
      const id = row?.dataset['id']
      if (row === null || id === undefined) setFocused(undefined)
      else focus(Number(row.getAttribute('aria-rowindex')) - 2, id)
    },
    onBlur: () => setFocused(undefined),
  }
}

/** The rows that are drawn for a view that begins with `first`. */
export function drawnRange(first: number, size: number, count: number): { from: number; to: number } {
  const from = Math.max(0, first - AROUND)
  return { from, to: Math.min(count, from + size) }
}

/**
 * Which element shows the row. A row that stays in view keeps its element. The elements of rows that left show those
 * that came: new text in an old element costs less than a new element. The element that has the focus never shows
 * another row, which would take the focus over.
 */
export function elementOf(
  index: number,
  elements: number,
  focused: { element: number; index: number | undefined } | undefined,
): number {
  if (focused !== undefined && index === focused.index) return focused.element
  const element = index % elements
  return element === focused?.element ? elements : element
}
