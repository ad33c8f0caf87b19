import type { AgentRevision } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Person } from '../../api/person.tsx'
import badgesStyles from '../../shared/ui/badges.module.css'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { FieldTags } from '../records/field-tags.tsx'
import styles from './activity.module.css'
import { ACTIONS } from './activity.ts'

interface ActivityRowProps {
  revision: AgentRevision
  id: string
  /** It came while the page was open. */
  isNew: boolean
}

export function ActivityRow({ revision, id, isNew }: ActivityRowProps): ReactElement {
  const action = ACTIONS[revision.action]
  return (
    <li className={join('top', isNew && styles.new)}>
      <Icon name={action.icon} size="s" className="t2 mt" />
      <div className="grow col col-1">
        <span className="row wrap base">
          <span className="b5">{action.word}</span>
          <Link to="/agents/$id/history" params={{ id }} className="mono link">
            r{revision.revision}
          </Link>
          {revision.restored_revision === null ? null : (
            <span className="t2">values of r{revision.restored_revision}</span>
          )}
          {isNew ? (
            <span
              className={join(badgesStyles.pill, badgesStyles.plain, badgesStyles.accent, badgesStyles.badge)}
            >
              New
            </span>
          ) : null}
        </span>
        {revision.reason === null ? null : <span className="t2 any-wrap">{revision.reason}</span>}
        <FieldTags className={styles.tags} fields={revision.fields} />
      </div>
      <span className={styles.who}>
        <Person id={revision.changed_by} name={revision.changed_by_name} />
        <span className="sm t3 nowrap">
          <RelativeTime at={revision.changed_at} />
        </span>
      </span>
    </li>
  )
}
