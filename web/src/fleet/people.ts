import { useMemo } from 'react'
import type { DayOfChanges } from './audit-day.ts'
import type { Changes } from './changes.ts'
import type { People } from './columns.tsx'
import { useNames } from './names.ts'
import type { FleetRow } from './row.ts'

/** The audit log and the agent may differ by the second in which the change was written. */
const TOLERANCE_S = 2

/**
 * The list does not say who changed an agent last. It is known from a live event, from the audit log of the last day,
 * and for an agent that was never changed: then it is its creator. Else undefined.
 */
export function usePeople(
  rows: readonly FleetRow[],
  changes: Changes,
  day: DayOfChanges | null | undefined,
): (row: FleetRow) => People {
  const creators = useMemo(() => new Set(rows.map(({ createdBy }) => createdBy)), [rows])
  const changers = [...changes.latest.values()].map(({ by }) => by)
  const names = useNames([...creators, ...changers])
  return useMemo(() => {
    const nameOf = (id: string): string | null => names.get(id) ?? null
    return (row) => {
      const live = changes.latest.get(row.id)
      const logged = day?.last.get(row.id)
      const creator = nameOf(row.createdBy)
      if (live?.revision === row.revision) return { changer: nameOf(live.by), creator }
      if (logged !== undefined && Math.abs(logged.at - row.updatedAt) <= TOLERANCE_S) {
        return { changer: logged.name ?? nameOf(logged.by), creator }
      }
      return { changer: row.revision === 1 ? creator : undefined, creator }
    }
  }, [names, changes, day])
}
