import type { AgentResult } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Person } from '../api/person.tsx'
import { formatCount } from '../shared/numbers.ts'
import { parseSearch } from '../shared/search.ts'
import { ProtectionBadge, StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { ShortId } from '../shared/ui/short-id.tsx'
import { AgentActions } from './actions.tsx'
import styles from './agent.module.css'
import { useNeighbours } from './neighbours.ts'
import { useLastRevision } from './queries.ts'
import { AgentTabs } from './tabs.tsx'

export function AgentHeader({ result }: { result: AgentResult }): ReactElement {
  const { agent, revision } = result
  const { id } = agent
  const last = useLastRevision(id)
  return (
    <header className={styles.head}>
      <Crumb id={id} />
      <div className={join(styles.row, 'row top')}>
        <div className="grow">
          <h1 tabIndex={-1}>{agent.agent_name}</h1>
          <div className={styles.meta}>
            <StatusBadge pill value={agent.status} />
            <StageBadge pill value={agent.trust_stage} />
            <ProtectionBadge pill value={agent.protection_status} />
            <span className="vsep" />
            <span className="mono">r{revision}</span>
            {last === undefined ? null : (
              <>
                <span>saved by</span>
                <Person id={last.changed_by} name={last.changed_by_name} />
              </>
            )}
            <span className="t3">
              <RelativeTime at={agent.updated_at} />
            </span>
            <span className="vsep col-wide" />
            <span className="t3 col-wide">
              <ShortId id={id} />
            </span>
          </div>
        </div>
        <AgentActions result={result} />
      </div>
      <AgentTabs result={result} />
    </header>
  )
}

/** Back to the list that was left, with its filters. */
export function Crumb({ id }: { id: string }): ReactElement {
  const list = useNeighbours(id)
  return (
    <div className={styles.crumb}>
      <Link to="/agents" search={parseSearch(list?.search ?? '')}>
        <Icon name="back" size="s" />
        Fleet
      </Link>
      {list === undefined ? null : (
        <>
          {list.label === 'Fleet' ? null : (
            <>
              <Icon name="forward" size="xs" />
              <span className="cut">{list.label}</span>
            </>
          )}
          <span className="t3 nowrap">
            · {formatCount(list.position)} of {formatCount(list.total)}
          </span>
        </>
      )}
    </div>
  )
}
