import { useCallback, useMemo, useRef, useState } from 'react'
import type { FleetRow } from './row.ts'
import { type Selection, toggleRows } from './toggle-rows.ts'

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
