import type { ServiceStatus } from '@agent-console/sdk'
import { Fragment, type ReactElement } from 'react'
import { formatCount } from '../shared/format.ts'
import { useMedia, WIDE } from '../shared/media.ts'
import { Absent, Badge, StateGlyph } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import tableStyles from '../shared/ui/table.module.css'
import { Column, Table } from '../shared/ui/table.tsx'
import { ServiceDetail } from './service-detail.tsx'
import styles from './services.module.css'
import { BREAKERS, stateBadge } from './state.ts'

const COLUMNS = { wide: 7, narrow: 5 }

interface ServicesTableProps {
  services: readonly ServiceStatus[]
  /** Names of the services whose details are shown. */
  open: readonly string[]
  onToggle: (name: string) => void
}

export function ServicesTable({ services, open, onToggle }: ServicesTableProps): ReactElement {
  // A cell that spans hidden columns would make empty ones.
  const columns = useMedia(WIDE) ? COLUMNS.wide : COLUMNS.narrow
  return (
    <Table label="Services" fixed full className={join(pageStyles.line, tableStyles.stack)}>
      <thead>
        <tr>
          <Column>Service</Column>
          <Column width={180}>State</Column>
          <Column width={110} className="col-wide">
            State since
          </Column>
          <Column width={110}>Breaker</Column>
          <Column width={110} className="col-mid">
            Version
          </Column>
          <Column width={90} className="col-mid" right>
            Operations
          </Column>
          <Column width={180} className={join(styles.apart, 'col-wide')}>
            Document changed
          </Column>
        </tr>
      </thead>
      <tbody>
        {services.map((service) => {
          const isOpen = open.includes(service.name)
          return (
            <Fragment key={service.name}>
              <ServiceRow service={service} isOpen={isOpen} onToggle={() => onToggle(service.name)} />
              {isOpen ? (
                <tr className={tableStyles.detailRow} id={detailId(service.name)}>
                  <td colSpan={columns}>
                    <ServiceDetail service={service} />
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

function detailId(name: string): string {
  return `service-${name}`
}

interface ServiceRowProps {
  service: ServiceStatus
  isOpen: boolean
  onToggle: () => void
}

function ServiceRow({ service, isOpen, onToggle }: ServiceRowProps): ReactElement {
  const state = stateBadge(service)
  const breaker = BREAKERS[service.breaker]
  const { document } = service
  return (
    <tr className={isOpen ? tableStyles.selected : ''}>
      <td>
        <button
          type="button"
          className={join(tableStyles.disclose, 'focus-in')}
          aria-expanded={isOpen}
          {...(isOpen ? { 'aria-controls': detailId(service.name) } : {})}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'down' : 'forward'} size="xs" className="t3" />
          <span className="b5">{service.name}</span>
          <span className="mono t3 cut col-mid" title={service.prefixes.join(', ')}>
            {service.prefixes.join(', ')}
          </span>
        </button>
      </td>
      <td>
        <Badge glyph={<StateGlyph value={state.glyph} />}>{state.word}</Badge>
      </td>
      <td className="t2 col-wide">
        <RelativeTime at={service.since} />
      </td>
      <td>
        <Badge glyph={<Icon name={breaker.icon} />} className={breaker.tone}>
          <span>
            <span className={styles.onPhone}>Breaker: </span>
            {breaker.word}
          </span>
        </Badge>
      </td>
      <td className="mono col-mid" title={document?.version}>
        {document?.version ?? <Absent label="No document yet" />}
      </td>
      <td className="num r col-mid">
        {document === null ? <Absent label="No document yet" /> : formatCount(document.operations)}
      </td>
      <td className={join(styles.apart, 't2 col-wide')}>
        {document === null ? <Absent label="No document yet" /> : <RelativeTime at={document.since} />}
      </td>
    </tr>
  )
}
