import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { useMay } from '../../auth/permissions.ts'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { personName } from '../../shared/words.ts'
import { StageMove } from '../records/stage-move.tsx'
import { type Entry, entryOfAudit, entryOfRevision } from './entries.ts'
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
