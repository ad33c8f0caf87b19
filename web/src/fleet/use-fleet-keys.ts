import { type RefObject, useMemo } from 'react'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import type { FleetRow } from './list.ts'
import type { ListHandle } from './list-parts.tsx'
import type { SelectionState } from './selection.ts'

interface KeyTargets {
  rows: readonly FleetRow[]
  cursor: string | undefined
  onCursor: (id: string) => void
  handle: RefObject<ListHandle | null>
  selection: SelectionState
  field: RefObject<HTMLInputElement | null>
  onFilter: () => void
  /** undefined: the permission is missing. */
  onCreate: (() => void) | undefined
}

const GROUP = 'Fleet'

export function useFleetKeys(targets: KeyTargets): void {
  const { rows, cursor, onCursor, handle, selection, field, onFilter, onCreate } = targets
  const shortcuts = useMemo<Shortcut[]>(() => {
    const step = (by: number): void => {
      const at = rows.findIndex(({ id }) => id === cursor)
      const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))
      const row = rows[next]
      if (row === undefined) return
      onCursor(row.id)
      handle.current?.focus(next)
    }
    const select = ({ shiftKey }: KeyboardEvent): void => {
      if (cursor !== undefined) selection.toggle(cursor, shiftKey)
    }
    return [
      { keys: '/', label: 'Search by name', group: GROUP, run: () => field.current?.focus() },
      { keys: 'f', label: 'Filter', group: GROUP, icon: 'filter', run: onFilter },
      { keys: 'j', label: 'Next agent', group: GROUP, run: () => step(1) },
      { keys: 'k', label: 'Previous agent', group: GROUP, run: () => step(-1) },
      { keys: 'x', label: 'Select; with Shift as far as here', group: GROUP, run: select },
      { keys: 'Enter', label: 'Open the agent', group: GROUP },
      ...(onCreate === undefined
        ? []
        : [{ keys: 'n', label: 'New agent', group: GROUP, icon: 'add' as const, run: onCreate }]),
      ...(selection.selection.size === 0
        ? []
        : [{ keys: 'Escape', label: 'Clear the selection', group: GROUP, run: selection.clear }]),
    ]
  }, [rows, cursor, onCursor, handle, selection, field, onFilter, onCreate])
  useKeys(shortcuts)
}
