import type { AgentRevision } from '@agent-console/sdk'
import type { IconName } from '../../shared/ui/icons.tsx'

const ICONS: Record<string, IconName> = {
  created: 'add',
  updated: 'edit',
  restored: 'undo',
  trust_stage_changed: 'chart',
  deleted: 'trash',
  recovered: 'undo',
}

export function revisionIcon(action: string): IconName {
  return ICONS[action] ?? 'edit'
}

const WORDS: Record<string, string> = {
  created: 'created',
  updated: 'changed',
  trust_stage_changed: 'moved the trust stage',
  deleted: 'deleted',
  recovered: 'recovered',
}

/** Completes the name of the person: "restored r41". */
export function revisionWords({ action, restored_revision: restored }: AgentRevision): string {
  if (action === 'restored' && restored !== null) return `restored r${restored}`
  return WORDS[action] ?? action.replaceAll('_', ' ')
}
