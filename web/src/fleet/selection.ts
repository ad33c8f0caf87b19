import { useCallback, useMemo, useRef, useState } from 'react'
import type { FleetRow } from './list.ts'

export interface SelectionState {
  selection: Selection
  toggle: (id: string, range: boolean) => void
  /** Instead of what is selected. */
  select: (rows: readonly FleetRow[]) => void
  clear: () => void
}

/** Stays when the filters change, so that agents of several searches can be gathered. */
export function useSelection(rows: readonly FleetRow[]): SelectionState {
  const [selection, setSelection] = useState<Selection>(new Map())
  const anchor = useRef<string>(undefined)
  const toggle = useCallback(
    (id: string, range: boolean) => {
      const from = range ? anchor.current : undefined
      setSelection((before) => toggleRows(rows, before, id, from))
      anchor.current = id
    },
    [rows],
  )
  const select = useCallback((chosen: readonly FleetRow[]) => {
    setSelection(new Map(chosen.map((row) => [row.id, row])))
  }, [])
  const clear = useCallback(() => setSelection(new Map()), [])
  return useMemo(() => ({ selection, toggle, select, clear }), [selection, toggle, select, clear])
}

type Selection = ReadonlyMap<string, FleetRow>

/** Selects the row or takes it out; with `from`, all rows between the two get the same state. */
export function toggleRows(
  rows: readonly FleetRow[],
  selection: Selection,
  id: string,
  from: string | undefined,
): Selection {
  const at = rows.findIndex((row) => row.id === id)
  const other = from === undefined ? -1 : rows.findIndex((row) => row.id === from)
  const [first, last] = other === -1 ? [at, at] : [Math.min(at, other), Math.max(at, other)]
  const select = !selection.has(id)
  const next = new Map(selection)
  for (const row of rows.slice(first, last + 1)) {
    if (select) next.set(row.id, row)
    else next.delete(row.id)
  }
  return next
}
