import type { AgentRevision } from '@agent-console/sdk'
import type { IconName } from '../shared/ui/icon.tsx'

interface RevisionKind {
  icon: IconName
  title: string
  /** Completes the name of the person. */
  words: string
}

export const REVISION_KINDS: Record<AgentRevision['action'], RevisionKind> = {
  created: { icon: 'add', title: 'Created', words: 'created' },
  updated: { icon: 'edit', title: 'Updated', words: 'changed' },
  restored: { icon: 'undo', title: 'Restored', words: 'restored' },
  trust_stage_changed: { icon: 'chart', title: 'Trust stage changed', words: 'moved the trust stage' },
  deleted: { icon: 'trash', title: 'Deleted', words: 'deleted' },
  recovered: { icon: 'undo', title: 'Recovered', words: 'recovered' },
}

/** Completes the name of the person: "restored r41". */
export function revisionWords({ action, restored_revision: restored }: AgentRevision): string {
  const { words } = REVISION_KINDS[action]
  return action === 'restored' && restored !== null ? `${words} r${restored}` : words
}

/** The fields that occur, by name. */
export function fieldsOf(revisions: readonly AgentRevision[]): string[] {
  return [...new Set(revisions.flatMap(({ fields }) => fields))].toSorted()
}

interface Shown {
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
