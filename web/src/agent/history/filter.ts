import type { AgentRevision } from '@agent-console/sdk'
import { personName } from '../../shared/words.ts'
import { bearsOnBehaviour, fieldLabel } from '../records/fields.ts'
import type { HistorySearch } from './search.ts'

/** All fields that bear on behaviour, as a choice of the filter. */
export const BEHAVIOUR = 'behaviour'

export function matches(revision: AgentRevision, { field, by }: HistorySearch): boolean {
  if (by !== undefined && revision.changed_by !== by) return false
  if (field === undefined) return true
  return field === BEHAVIOUR ? revision.fields.some(bearsOnBehaviour) : revision.fields.includes(field)
}

interface Choice {
  value: string
  label: string
}

/** The fields that the revisions changed, by their names in words. */
export function fieldChoices(revisions: readonly AgentRevision[]): Choice[] {
  const fields = [...new Set(revisions.flatMap((revision) => revision.fields))]
  return byLabel(fields.map((field) => ({ value: field, label: fieldLabel(field) })))
}

export function personChoices(revisions: readonly AgentRevision[]): Choice[] {
  const people = new Map(
    revisions.map(({ changed_by: id, changed_by_name: name }) => [id, personName(name, id)]),
  )
  return byLabel([...people].map(([value, label]) => ({ value, label })))
}

function byLabel(choices: Choice[]): Choice[] {
  return choices.toSorted((one, other) => one.label.localeCompare(other.label))
}
