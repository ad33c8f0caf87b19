import { DELEGATES } from './table.ts'
import type { Fault } from './update.ts'

/** What is left after an edit. The removal of a delegated agent changes the indexes of those after it. */
export function faultsAfterEdit(faults: readonly Fault[], name: string): readonly Fault[] {
  const isList = name === DELEGATES.name
  const left = faults.filter(
    (fault) => fault.name !== name && !(isList && fault.name?.startsWith('delegates.') === true),
  )
  return left.length === faults.length ? faults : left
}
