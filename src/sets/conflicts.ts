import { Problem } from '../contract/problem.ts'
import type { Binding } from './store.ts'
import type { Difference } from './write-agent.ts'

/** Throws if another set owns one of the fields. */
export function refuseOwned(bindings: readonly Binding[], set: string, fields: readonly string[]): void {
  const owned = bindings
    .filter((binding) => binding.set !== set)
    .flatMap((binding) =>
      binding.fields
        .filter((field) => fields.includes(field))
        .map((field) => `${field} (by the set ${binding.set})`),
    )
  if (owned.length === 0) return
  throw new Problem('field_owned', {
    detail:
      `Other configuration sets own fields of the spec: ${owned.join(', ')}. Remove each from one of the two ` +
      'sets.',
  })
}

/** Throws if another writer has changed a field since the set applied it, and the spec changes it too. If the spec
 * still has the value that was applied, the field is set back. A secret that another writer has changed is never
 * overwritten without `force`: history cannot bring it back. */
export function refuseConflicts(differences: readonly Difference[], force: readonly string[]): void {
  const fields = differences
    .filter(({ field, isDrifted, isApplied }) => isDrifted && !isApplied && !force.includes(field))
    .map(({ field }) => field)
  if (fields.length === 0) return
  throw new Problem('field_drifted', {
    detail:
      'Another writer has changed fields since the set applied them, and the spec changes them too: ' +
      `${fields.join(', ')}. Name ` +
      'them in force to overwrite them, or put their current values into the spec.',
  })
}
