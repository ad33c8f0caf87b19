import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { listQuery, rowsOf } from '../../api/list.ts'
import { describe } from '../../api/problem.ts'
import { useLive } from '../../live/state.ts'
import { reconnect } from '../../live/tabs.ts'
import { plural } from '../../shared/numbers.ts'
import { formatClock, nowSeconds } from '../../shared/time.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { MoreButton } from '../../shared/ui/more-button.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { Failed, Loading, Stale, State } from '../../shared/ui/states.tsx'
import { ALL, ChoiceMenu } from '../records/choice-menu.tsx'
import { fieldLabel } from '../records/fields.ts'
import styles from './activity.module.css'
import { fieldsOf, shownOf } from './activity.ts'
import { ActivityRow } from './activity-row.tsx'

const route = getRouteApi('/agents/$id/activity')
const PAGE = 50

/** Past changes from the revisions; an event of the stream makes the list read the new ones. */
function useActivity(id: string) {
  return useInfiniteQuery(
    listQuery([...keys.revisions(id), 'activity'], (cursor, signal) =>
      api().agents.revisions(id, { limit: PAGE, ...cursor }, { signal }),
    ),
  )
}

export function ActivityPage(): ReactElement {
  const { id } = route.useParams()
  const query = useActivity(id)
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
