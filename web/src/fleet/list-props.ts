import type { MouseEvent, RefObject } from 'react'
import type { People } from './columns.tsx'
import type { TailProps } from './list-tail.tsx'
import type { FleetRow } from './row.ts'

export interface ListHandle {
  /** Scrolls the row into view and gives its link the focus. */
  focus: (index: number) => void
  /** The first and the last row in view. */
  range: () => readonly [from: number, to: number]
}

/** Of the table and of the cards. */
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

/** A new tab or window is the browser's business. */
export function isModified({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || ctrlKey || metaKey || shiftKey || altKey
}
