import type { AuditEvent } from '@agent-console/sdk'
import type { IconName } from '../shared/ui/icon.tsx'

interface Action {
  word: string
  icon: IconName
  /** Colour of what a reader of the log looks for. */
  tone: 't2' | 'warn-t' | 'danger-t'
}

export const ACTIONS: Record<AuditEvent['action'], Action> = {
  agent_created: { word: 'Agent created', icon: 'add', tone: 't2' },
  agent_updated: { word: 'Agent updated', icon: 'edit', tone: 't2' },
  agent_restored: { word: 'Agent restored', icon: 'undo', tone: 't2' },
  agent_trust_stage_changed: { word: 'Trust stage changed', icon: 'chart', tone: 't2' },
  agent_deleted: { word: 'Agent deleted', icon: 'trash', tone: 'danger-t' },
  agent_recovered: { word: 'Agent recovered', icon: 'undo', tone: 't2' },
  agent_evaluation_recorded: { word: 'Evaluation recorded', icon: 'flask', tone: 't2' },
  agent_revision_redacted: { word: 'History redacted', icon: 'eyeOff', tone: 'warn-t' },
  agents_exported: { word: 'Agents exported', icon: 'download', tone: 'warn-t' },
  secrets_read: { word: 'Secrets revealed', icon: 'eye', tone: 'warn-t' },
  idempotency_conflict: { word: 'Creation repeated', icon: 'alert', tone: 'warn-t' },
  permission_refused: { word: 'Permission refused', icon: 'lock', tone: 'danger-t' },
  service_called: { word: 'Service called', icon: 'services', tone: 't2' },
  audit_exported: { word: 'Audit exported', icon: 'download', tone: 'warn-t' },
  user_erased: { word: 'Name erased', icon: 'person', tone: 'warn-t' },
  view_saved: { word: 'View saved', icon: 'star', tone: 't2' },
  view_deleted: { word: 'View deleted', icon: 'star', tone: 't2' },
  set_applied: { word: 'Taken by a set', icon: 'edit', tone: 't2' },
  set_released: { word: 'Released by a set', icon: 'undo', tone: 't2' },
}

export const VIA: Record<string, string> = {
  api: 'API',
  mcp: 'MCP',
  import: 'Import',
  set: 'Configuration set',
}

/** A newer console may have actions that this page does not know. */
export function actionOf(action: string): Action {
  return (
    (ACTIONS as Record<string, Action>)[action] ?? {
      word: action.replaceAll('_', ' '),
      icon: 'info',
      tone: 't2',
    }
  )
}

/** The detail of an event on one line. The whole of it stands in the row below. */
export function detailLine({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): string {
  const { text, list } = readers(detail)
  const revision = text('revision')
  switch (action) {
    case 'permission_refused': {
      const count = Number(text('count') ?? 1)
      return join(
        text('permission') && `needs ${text('permission')}`,
        [text('method'), text('route')].filter(Boolean).join(' '),
        count > 1 ? `${count} times` : undefined,
      )
    }
    case 'service_called':
      return join(
        text('service'),
        [text('method'), text('route')].filter(Boolean).join(' '),
        text('status') && `status ${text('status')}`,
      )
    case 'agents_exported':
    case 'audit_exported':
      return join(text('format'), list('filters') && `filtered by ${list('filters')}`)
    case 'user_erased':
      return text('user_id') ?? text('erased_user_id') ?? ''
    case 'set_applied':
    case 'set_released':
      return join([text('set'), text('key')].filter(Boolean).join('/'), list('fields'))
    case 'view_saved':
    case 'view_deleted':
      return text('name') ?? ''
    default:
      return join(
        revision && `r${revision}`,
        text('restored_revision') && `from r${text('restored_revision')}`,
        list('fields') ?? list('names'),
        list('credential_warnings') && 'looks like a credential',
      )
  }
}

function readers(detail: AuditEvent['detail']) {
  const text = (name: string): string | undefined => {
    const value = detail[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
  const list = (name: string): string | undefined => {
    const value = detail[name]
    return Array.isArray(value) && value.length > 0 ? value.join(', ') : undefined
  }
  return { text, list }
}

function join(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ')
}
