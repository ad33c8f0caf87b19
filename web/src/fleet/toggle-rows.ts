import type { FleetRow } from './row.ts'

export type Selection = ReadonlyMap<string, FleetRow>

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
