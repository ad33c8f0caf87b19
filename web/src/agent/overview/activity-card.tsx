import type { AgentRevision, AuditEvent } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api, keys } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { useMay } from '../../auth/permissions.ts'
import { Avatar, BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon, type IconName } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { personName } from '../../shared/words.ts'
import { bearsOnBehaviour, fieldLabel } from '../fields/labels.ts'
import { StageMove } from '../revision-parts.tsx'
import { REVISION_KINDS, revisionWords } from '../revisions.ts'
import styles from './overview.module.css'

const SHOWN = 6

/** Who may read the audit log sees all that happened to the agent; others see its revisions. */
export function ActivityCard({ id }: { id: string }): ReactElement {
  const mayAudit = useMay('audit:read')
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.one(id), 'recent', mayAudit],
    queryFn: async ({ signal }): Promise<Entry[]> => {
      if (mayAudit) {
        const { results } = await api().audit.list({ agent_id: id, limit: SHOWN }, { signal })
        return results.map(entryOfAudit)
      }
      const { results } = await api().agents.revisions(id, { limit: SHOWN }, { signal })
      return results.map(entryOfRevision)
    },
  })
  return (
    <Card
      flush
      title="Recent activity"
      aside={
        mayAudit ? (
          // The Activity tab has the revisions only, which is less than this card shows.
          <Link to="/audit" search={{ agent_id: id }} className="link">
            All activity
          </Link>
        ) : (
          <Link to="/agents/$id/activity" params={{ id }} className="link">
            All activity
          </Link>
        )
      }
    >
      {data !== undefined ? (
        <ul className={pageStyles.list}>
          {data.map((entry) => (
            <Line key={entry.key} id={id} entry={entry} />
          ))}
        </ul>
      ) : error === null ? (
        <Loading what="the recent activity" rows={SHOWN} />
      ) : (
        <Failed
          title="The activity could not be loaded"
          failure={describe(error)}
          onRetry={() => void refetch()}
        />
      )}
    </Card>
  )
}

function Line({ id, entry }: { id: string; entry: Entry }): ReactElement {
  const { icon, userId, name, words, what, behaviour, revision, at } = entry
  return (
    <li className={styles.activity}>
      <Icon name={icon} size="s" className="t3" />
      <Avatar name={name} />
      <span className={styles.text}>
        <span className="cut">
          <span className="b5">{personName(name, userId)}</span>{' '}
          {entry.isMove && revision !== undefined ? (
            <StageMove agentId={id} revision={revision} />
          ) : (
            <span className="t2">{words}</span>
          )}{' '}
          {what}
        </span>{' '}
        {behaviour ? <BehaviourMark /> : null}
      </span>
      <span className="sp" />
      {revision === undefined ? (
        <span className={styles.revision} />
      ) : (
        <Link
          to="/agents/$id/history"
          params={{ id }}
          search={{ a: Math.max(1, revision - 1), b: revision }}
          className={join(styles.revision, 'mono t3')}
          title={`What revision ${revision} changed`}
        >
          r{revision}
        </Link>
      )}
      <span className={join(styles.when, 'sm t3 nowrap')}>
        <RelativeTime at={at} />
      </span>
    </li>
  )
}

/** One line of the recent activity: "Ada Novák changed System prompt". */
interface Entry {
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

function entryOfRevision(revision: AgentRevision): Entry {
  const isMove = revision.action === 'trust_stage_changed'
  return {
    key: `r${revision.revision}`,
    icon: REVISION_KINDS[revision.action].icon,
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

function entryOfAudit(event: AuditEvent): Entry {
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
