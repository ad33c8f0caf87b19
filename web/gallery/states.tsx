import type { ReactElement } from 'react'
import { Button } from '../src/shared/ui/button.tsx'
import { Card } from '../src/shared/ui/page.tsx'
import { Failed, Refused, SkeletonRows, Stale, State } from '../src/shared/ui/states.tsx'

const FAILURE = {
  detail: 'The database did not answer in time. Nothing was changed.',
  code: '503 database_unavailable',
  requestId: '9e44f0aa',
}
const none = (): void => undefined

export function StatesSection(): ReactElement {
  return (
    <>
      <Card title="Loading, after 200 ms" flush>
        <SkeletonRows rows={7} />
      </Card>
      <Card title="Empty" flush>
        <State
          icon="fleet"
          title="Register your first agent"
          actions={
            <>
              <Button variant="primary" icon="add" shortcut="N">
                New agent
              </Button>
              <Button icon="upload">Import JSON</Button>
            </>
          }
          note={
            <span className="sm t3">
              or <span className="mono">POST /v1/agent-configurations</span>
            </span>
          }
        >
          Only a name and a model are needed. Everything else can follow, and each change is kept as a
          revision.
        </State>
      </Card>
      <Card title="No match" flush>
        <State
          icon="search"
          title="No agent matches"
          actions={
            <>
              <Button icon="close">Remove the status filter</Button>
              <Button>Clear all filters</Button>
            </>
          }
        >
          Nothing has the name “großshaden” with status Active. Without the status filter, 2 do.
        </State>
      </Card>
      <Card title="Refused" flush>
        <Refused
          what="read the audit log"
          permission="audit:read"
          name="Ada Novák"
          back={<Button variant="quiet">Back to the fleet</Button>}
        />
      </Card>
      <Card title="Failed" flush>
        <Failed title="The history could not be loaded" failure={FAILURE} onRetry={none} />
      </Card>
      <Card title="Stale">
        <Stale since="10:58" onReconnect={none} />
      </Card>
    </>
  )
}
