import type { AuditEvent } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactElement, useState } from 'react'
import { formatUtc, nowSeconds } from '../shared/format.ts'
import { useMedia, WIDE } from '../shared/media.ts'
import { Absent, Avatar, Badge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { CopyButton, ShortId } from '../shared/ui/copy.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import inputsStyles from '../shared/ui/inputs.module.css'
import { DescriptionList } from '../shared/ui/page.tsx'
import tableStyles from '../shared/ui/table.module.css'
import { Column, Table } from '../shared/ui/table.tsx'
import { personName, words } from '../shared/words.ts'
import { actionOf, detailLine, VIA } from './actions.ts'
import styles from './audit.module.css'
import { type AgentNames, useAgentNames } from './queries.ts'
import { clockUtc, dayUtc } from './search.ts'

const COLUMNS = { wide: 6, narrow: 5 }

export function EventTable({ events }: { events: readonly AuditEvent[] }): ReactElement {
  const names = useAgentNames(events.flatMap(({ agent_id }) => agent_id ?? []))
  const [open, setOpen] = useState<string>()
  const columns = useMedia(WIDE) ? COLUMNS.wide : COLUMNS.narrow
  const now = nowSeconds()
  const today = dayUtc(now, now)
  return (
    <Table label="Audit events" fixed full className={join(tableStyles.stack, styles.audit)}>
      <thead>
        <tr>
          <Column width={110}>Time</Column>
          <Column width={180}>Who</Column>
          <Column width={180}>Action</Column>
          <Column width={180}>Agent</Column>
          <Column>Detail</Column>
          <Column width={110} className="col-wide">
            Request
          </Column>
        </tr>
      </thead>
      <tbody>
        {events.map((event, index) => {
          const day = dayUtc(event.at, now)
          const before = events[index - 1]
          const isOpen = open === event.id
          return (
            <Fragment key={event.id}>
              {before === undefined || dayUtc(before.at, now) !== day ? (
                <tr className={join(tableStyles.day, styles.dayRow)}>
                  <td colSpan={columns}>
                    <span className="b5">{day}</span>
                    {day === today ? <span className="t3"> today</span> : null}
                  </td>
                </tr>
              ) : null}
              <EventRow
                event={event}
                names={names}
                isOpen={isOpen}
                onToggle={() => setOpen(isOpen ? undefined : event.id)}
              />
              {isOpen ? (
                <tr className={tableStyles.detailRow}>
                  <td colSpan={columns}>
                    <EventDetail event={event} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          )
        })}
      </tbody>
    </Table>
  )
}

interface EventRowProps {
  event: AuditEvent
  names: AgentNames
  isOpen: boolean
  onToggle: () => void
}

function EventRow({ event, names, isOpen, onToggle }: EventRowProps): ReactElement {
  const action = actionOf(event.action)
  const detail = detailLine(event)
  return (
    <tr className={isOpen ? tableStyles.selected : ''}>
      <td>
        <button
          type="button"
          className={join(tableStyles.disclose, 'focus-in num t2')}
          aria-expanded={isOpen}
          title={formatUtc(event.at)}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'down' : 'forward'} size="xs" className="t3" />
          {clockUtc(event.at)}
        </button>
      </td>
      <td>
        <Who event={event} />
      </td>
      <td>
        <Badge glyph={<Icon name={action.icon} size="s" />} className={action.tone}>
          {action.word}
        </Badge>
      </td>
      <td>
        <AgentCell id={event.agent_id} names={names} />
      </td>
      <td className="t2" title={detail}>
        {detail === '' ? <Absent /> : detail}
      </td>
      <td className="mono t3 col-wide" title={event.request_id}>
        …{event.request_id.slice(-8)}
      </td>
    </tr>
  )
}

function Who({ event }: { event: AuditEvent }): ReactElement {
  return (
    <span className="row">
      <Avatar name={event.changed_by_name} />
      <span className="cut" title={event.changed_by_name ?? `Name not known. User ${event.user_id}`}>
        {personName(event.changed_by_name, event.user_id)}
      </span>
    </span>
  )
}

function AgentCell({ id, names }: { id: string | null; names: AgentNames }): ReactElement {
  if (id === null) return <Absent label="No agent" />
  const name = names.get(id)
  if (name === null) {
    return (
      <span className="t3">
        Deleted agent <ShortId id={id} />
      </span>
    )
  }
  return (
    <Link
      to="/agents/$id"
      params={{ id }}
      className={join(styles.agentLink, 'cut')}
      title={name ?? id}
      preload={false}
    >
      {name ?? <ShortId id={id} />}
    </Link>
  )
}

/** All of one event. The log never holds values of fields, so there is nothing to hide. */
function EventDetail({ event }: { event: AuditEvent }): ReactElement {
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
