import { type FocusEvent, useLayoutEffect, useRef } from 'react'
import type { FleetRow } from './row.ts'
import { assignSlots, type Slot } from './slots.ts'

interface ShownRow {
  key: number
  row: FleetRow
  index: number
}

interface Slots {
  slots: readonly ShownRow[]
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}

/**
 * The rows to draw, in the order of their elements. The row with the focus stays in the document when it is scrolled out
 * of view, so that Tab goes on from there.
 */
export function useSlots(rows: readonly FleetRow[], from: number, to: number, scrolling: boolean): Slots {
  const before = useRef<readonly Slot[]>([])
  const focused = useRef<{ id: string; index: number }>(undefined)
  const shown = new Map<string, ShownRow>()
  const add = (index: number): void => {
    const row = rows[index]
    if (row !== undefined) shown.set(row.id, { key: 0, row, index })
  }
  const pinned = focused.current
  const isPinned = pinned !== undefined && rows[pinned.index]?.id === pinned.id
  if (isPinned && pinned.index < from) add(pinned.index)
  for (let index = from; index < to; index += 1) add(index)
  if (isPinned && pinned.index >= to) add(pinned.index)

  const slots = assignSlots(before.current, {
    ids: [...shown.keys()],
    ordered: !scrolling,
    focused: pinned?.id,
  })
  useLayoutEffect(() => {
    before.current = slots
  })
  return {
    slots: slots.map(({ key, id }) => ({ ...(shown.get(id) as ShownRow), key })),
    onFocus: ({ target }) => {
      const row = target.closest<HTMLElement>('tr[data-id]')
      focused.current =
        row === null
          ? undefined
          : { id: row.dataset['id'] ?? '', index: Number(row.getAttribute('aria-rowindex')) - 2 }
    },
    onBlur: () => {
      focused.current = undefined
    },
  }
}
