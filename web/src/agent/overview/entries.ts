import type { AgentRevision, AuditEvent } from '@agent-console/sdk'
import type { IconName } from '../../shared/ui/icons.tsx'
import { bearsOnBehaviour, fieldLabel } from '../records/fields.ts'
import { revisionIcon, revisionWords } from '../records/revision-words.ts'

/** One line of the recent activity: "Ada Novák changed System prompt". */
export interface Entry {
  key: string
  icon: IconName
  userId: string
  name: string | null
  /** "changed" */
  words: string
  /** "System prompt, Rate limit" */
  what: string
  behaviour: boolean
  revision: number | undefined
  at: number
  /** A move of the trust stage; the revision tells the new one. */
  isMove: boolean
}

export function entryOfRevision(revision: AgentRevision): Entry {
  const isMove = revision.action === 'trust_stage_changed'
  return {
    key: `r${revision.revision}`,
    icon: revisionIcon(revision.action),
    userId: revision.changed_by,
    name: revision.changed_by_name,
    words: revisionWords(revision),
    what: revision.action === 'created' || isMove ? '' : namesOf(revision.fields),
    behaviour: revision.action !== 'created' && revision.fields.some(bearsOnBehaviour),
    revision: revision.revision,
    at: revision.changed_at,
    isMove,
  }
}

const ACTIONS: Record<string, { icon: IconName; words: string }> = {
  agent_created: { icon: 'add', words: 'created it' },
  agent_updated: { icon: 'edit', words: 'changed' },
  agent_restored: { icon: 'undo', words: 'restored' },
  agent_trust_stage_changed: { icon: 'chart', words: 'moved the trust stage' },
  agent_deleted: { icon: 'trash', words: 'deleted it' },
  agent_recovered: { icon: 'undo', words: 'recovered it' },
  agent_evaluation_recorded: { icon: 'flask', words: 'recorded an evaluation' },
  agent_revision_redacted: { icon: 'minus', words: 'removed from history' },
  secrets_read: { icon: 'eye', words: 'revealed' },
  permission_refused: { icon: 'lock', words: 'was refused' },
  service_called: { icon: 'services', words: 'called' },
}
/** Their fields say what they did; of others the words do. */
const WITH_FIELDS: ReadonlySet<string> = new Set([
  'agent_updated',
  'agent_restored',
  'agent_revision_redacted',
  'secrets_read',
])

export function entryOfAudit(event: AuditEvent): Entry {
  const { action, detail } = event
  const fields = Array.isArray(detail['fields']) ? detail['fields'].map(String) : []
  const revision = typeof detail['revision'] === 'number' ? detail['revision'] : undefined
  const isEvaluation = action === 'agent_evaluation_recorded'
  const known = ACTIONS[action]
  const evaluated = isEvaluation && revision !== undefined ? `r${revision}` : undefined
  const words = known?.words ?? action.replaceAll('_', ' ')
  return {
    key: event.id,
    icon: known?.icon ?? 'info',
    userId: event.user_id,
    name: event.changed_by_name,
    words: evaluated === undefined ? words : `${words} of`,
    what: evaluated ?? (WITH_FIELDS.has(action) ? namesOf(fields) : subjectOf(detail)),
    behaviour: ['agent_updated', 'agent_restored'].includes(action) && fields.some(bearsOnBehaviour),
    revision: isEvaluation || action === 'agent_revision_redacted' ? undefined : revision,
    at: event.at,
    isMove: action === 'agent_trust_stage_changed',
  }
}

/** The permission that was missing, or the operation that was called. */
function subjectOf(detail: AuditEvent['detail']): string {
  const subject = detail['permission'] ?? detail['operation'] ?? ''
  return typeof subject === 'string' ? subject : ''
}

function namesOf(fields: readonly string[]): string {
  return fields.map(fieldLabel).join(', ')
}
