import type { AgentRevision } from '@agent-console/sdk'
import type { IconName } from '../../shared/ui/icons.tsx'

export const ACTIONS: Record<AgentRevision['action'], { word: string; icon: IconName }> = {
  created: { word: 'Created', icon: 'add' },
  updated: { word: 'Updated', icon: 'edit' },
  restored: { word: 'Restored', icon: 'undo' },
  trust_stage_changed: { word: 'Trust stage changed', icon: 'chart' },
  deleted: { word: 'Deleted', icon: 'trash' },
  recovered: { word: 'Recovered', icon: 'undo' },
}

/** The fields that occur, by name. */
export function fieldsOf(revisions: readonly AgentRevision[]): string[] {
  return [...new Set(revisions.flatMap(({ fields }) => fields))].toSorted()
}

export interface Shown {
  revisions: AgentRevision[]
  /** Newer ones that wait because the list is paused. */
  waiting: number
}

/** `top` is the newest revision at the time of the pause; undefined: not paused. */
export function shownOf(revisions: readonly AgentRevision[], field: string, top: number | undefined): Shown {
  const matching = revisions.filter(({ fields }) => field === '' || fields.includes(field))
  const shown = matching.filter(({ revision }) => top === undefined || revision <= top)
  return { revisions: shown, waiting: matching.length - shown.length }
}
