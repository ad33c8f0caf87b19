import type { AuditEvent } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { formatUtc } from '../shared/time.ts'
import { join } from '../shared/ui/class-names.ts'
import { CopyButton } from '../shared/ui/copy-button.tsx'
import inputsStyles from '../shared/ui/inputs.module.css'
import { DescriptionList } from '../shared/ui/page.tsx'
import tableStyles from '../shared/ui/table.module.css'
import { words } from '../shared/words.ts'
import { VIA } from './actions.ts'
import styles from './audit.module.css'

/** All of one event. The log never holds values of fields, so there is nothing to hide. */
export function EventDetail({ event }: { event: AuditEvent }): ReactElement {
  const revision = event.detail['revision']
  return (
    <div className={join(tableStyles.detail, tableStyles.detailColumns)}>
      <DescriptionList
        items={[
          ['Time', formatUtc(event.at)],
          ['Reason', event.reason ?? <span className="t3">None given</span>],
          [
            'User',
            <span key="user" className="mono">
              {event.user_id}
            </span>,
          ],
          ['Application', event.client_id ?? <span className="t3">The token does not say</span>],
          ['Interface', words(VIA, event.via)],
          [
            'Request',
            <span key="request" className="row">
              <span className="mono any-wrap">{event.request_id}</span>
              <CopyButton
                text={event.request_id}
                label="Copy the request id"
                done="Request id copied"
                iconOnly
              />
            </span>,
          ],
          ...(event.agent_id === null
            ? []
            : ([
                [
                  'Agent',
                  <span key="agent" className="row wrap">
                    <span className="mono any-wrap">{event.agent_id}</span>
                    <Link to="/audit" search={{ agent_id: event.agent_id }} className="link">
                      All events of this agent
                    </Link>
                    {typeof revision === 'number' ? (
                      <Link to="/agents/$id/history" params={{ id: event.agent_id }} className="link">
                        Its history
                      </Link>
                    ) : null}
                  </span>,
                ],
              ] as const)),
        ]}
      />
      <section className="col" aria-label="Detail">
        <h3>Detail</h3>
        <pre className={join(inputsStyles.area, styles.json)}>{JSON.stringify(event.detail, null, 2)}</pre>
      </section>
    </div>
  )
}
