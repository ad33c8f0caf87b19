import type { AgentResult } from '@agent-console/sdk'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Person } from '../api/people.tsx'
import { useMe } from '../auth/permissions.ts'
import { draftKey, useHasDraft } from '../shared/drafts.ts'
import { formatCount } from '../shared/format.ts'
import { parseSearch } from '../shared/search.ts'
import badgesStyles from '../shared/ui/badges.module.css'
import { ProtectionBadge, StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { ShortId } from '../shared/ui/copy.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { AgentActions, useNeighbours } from './actions.tsx'
import styles from './agent.module.css'
import { useLastRevision } from './queries.ts'

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

const TABS = [
  { to: '/agents/$id', label: 'Overview' },
  { to: '/agents/$id/configuration', label: 'Configuration' },
  { to: '/agents/$id/secrets', label: 'Secrets' },
  { to: '/agents/$id/history', label: 'History' },
  { to: '/agents/$id/scores', label: 'Scores' },
  { to: '/agents/$id/delegation', label: 'Delegation' },
  { to: '/agents/$id/activity', label: 'Activity' },
  { to: '/agents/$id/evolution', label: 'Evolution' },
] as const

/** Leaves a part of the tab before in view. */
const GUTTER = 96

function AgentTabs({ result }: { result: AgentResult }): ReactElement {
  const { agent, revision } = result
  const isEdited = useHasDraft(draftKey(useMe().user_id, 'configuration', agent.id))
  const notes: Record<string, ReactNode> = {
    Configuration: isEdited && (
      <span className={styles.dot} title="Unsaved changes">
        <span className="hid">unsaved changes</span>
      </span>
    ),
    History: <span className={styles.count}>{formatCount(revision)}</span>,
    Scores: <Behind result={result} />,
    Delegation: agent.delegated_agents.length > 0 && (
      <span className={styles.count}>{agent.delegated_agents.length}</span>
    ),
  }
  // On a narrow screen the bar scrolls, and would show other tabs than the open one.
  const bar = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  useEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>(`[href$="${path}"]`)
    if (tab) bar.current?.scrollTo({ left: tab.offsetLeft - bar.current.offsetLeft - GUTTER })
  }, [path])
  return (
    <nav className={styles.tabs} aria-label="Agent" ref={bar}>
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ id: agent.id }}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
          {notes[label]}
        </Link>
      ))}
    </nav>
  )
}

/** How many revisions the scores are behind. */
function Behind({ result: { agent, revision } }: { result: AgentResult }): ReactElement | null {
  const evaluation = agent.latest_evaluation
  if (evaluation?.current !== false) return null
  const behind = revision - (evaluation.revision ?? revision)
  return (
    <span className={join(badgesStyles.badge, 'xs warn-t')}>
      <Icon name="clock" size="xs" />
      {behind > 0 ? <span aria-hidden="true">−{behind}</span> : null}
      <span className="hid">outdated</span>
    </span>
  )
}
