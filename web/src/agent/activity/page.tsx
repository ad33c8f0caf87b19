import type { AgentRevision } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { rowsOf } from '../../api/client.ts'
import { Person } from '../../api/people.tsx'
import { describe } from '../../api/problem.ts'
import { useLive } from '../../live/state.ts'
import { reconnect } from '../../live/tabs.ts'
import { formatClock, nowSeconds, plural } from '../../shared/format.ts'
import badgesStyles from '../../shared/ui/badges.module.css'
import { Button, MoreButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { Failed, Loading, Stale, State } from '../../shared/ui/states.tsx'
import { fieldLabel } from '../fields/labels.ts'
import { revisionsQuery } from '../queries.ts'
import { ALL, ChoiceMenu, FieldTags } from '../revision-parts.tsx'
import { fieldsOf, REVISION_KINDS, shownOf } from '../revisions.ts'
import styles from './activity.module.css'

const route = getRouteApi('/agents/$id/activity')

export function ActivityPage(): ReactElement {
  const { id } = route.useParams()
  // An event of the stream makes the list read the new ones.
  const query = useInfiniteQuery(revisionsQuery(id))
  const live = useLive()
  const [field, setField] = useState(ALL)
  const [top, setTop] = useState<number>()
  const [openedAt] = useState(nowSeconds)
  const all = rowsOf(query.data)
  const { revisions, waiting } = shownOf(all, field, top)
  if (query.data === undefined) {
    return query.isError ? (
      <Failed
        title="The activity could not be loaded"
        failure={describe(query.error)}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <Loading what="the activity" />
    )
  }
  return (
    <div className={join(pageStyles.body, 'col col-3')}>
      {live.state === 'down' ? (
        <Stale since={formatClock(live.since ?? nowSeconds())} onReconnect={reconnect} />
      ) : null}
      <Card
        title="Changes"
        flush
        aside={
          <span className="row">
            <ChoiceMenu
              icon="filter"
              label="Changed field"
              value={field}
              options={[
                { value: ALL, label: 'All fields' },
                ...fieldsOf(all).map((name) => ({ value: name, label: fieldLabel(name) })),
              ]}
              onChange={setField}
            />
            <Button
              variant="quiet"
              icon={top === undefined ? 'pause' : 'play'}
              on={top !== undefined}
              onClick={() => setTop(top === undefined ? (all[0]?.revision ?? 0) : undefined)}
            >
              {top === undefined ? 'Pause' : 'Resume'}
            </Button>
          </span>
        }
        footer={
          <>
            <span className="sm t2" role="status">
              {waiting > 0
                ? `${plural(waiting, 'newer change')} while paused`
                : plural(revisions.length, 'change')}
            </span>
            <span className="sp" />
            <MoreButton query={query}>Show older</MoreButton>
          </>
        }
      >
        {revisions.length === 0 ? (
          <State
            icon="search"
            title="No change of this field"
            actions={<Button onClick={() => setField(ALL)}>Show all fields</Button>}
          >
            None of the changes that are loaded touched it.
          </State>
        ) : (
          <ol className={join(pageStyles.list, styles.activity)}>
            {revisions.map((revision) => (
              <ActivityRow
                key={revision.revision}
                revision={revision}
                id={id}
                isNew={revision.changed_at > openedAt}
              />
            ))}
          </ol>
        )}
      </Card>
    </div>
  )
}

interface ActivityRowProps {
  revision: AgentRevision
  id: string
  /** It came while the page was open. */
  isNew: boolean
}

export function ActivityRow({ revision, id, isNew }: ActivityRowProps): ReactElement {
  const { icon, title } = REVISION_KINDS[revision.action]
  return (
    <li className={join('top', isNew && styles.new)}>
      <Icon name={icon} size="s" className="t2 mt" />
      <div className="grow col col-1">
        <span className="row wrap base">
          <span className="b5">{title}</span>
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
