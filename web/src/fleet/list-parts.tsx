import type { MouseEvent, ReactElement, ReactNode, RefObject } from 'react'
import { Absent, Avatar, ProtectionBadge, Score, StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import type { Failure } from '../shared/ui/states.tsx'
import { PROTOCOL, words } from '../shared/words.ts'
import type { FleetRow } from './list.ts'
import { type ColumnId, wordOf } from './search.ts'

/** Who made the last change, or the agent: where it is known. */
export interface People {
  changer: string | null | undefined
  creator: string | null | undefined
}

interface ColumnKind {
  label: string
  /** Track of the grid. */
  width: string
  sort?: 'agent_name' | 'score' | 'created_at'
  /** Of the cell. */
  className?: string | undefined
  cell: (row: FleetRow, people: People) => ReactNode
}

export const COLUMNS: Record<Exclude<ColumnId, 'agent_name'>, ColumnKind> & {
  agent_name: Omit<ColumnKind, 'cell'>
} = {
  agent_name: { label: 'Name', width: 'minmax(12rem, 1fr)', sort: 'agent_name' },
  model_name: {
    label: 'Model',
    width: '8.5rem',
    className: 'mono t2 cut',
    cell: ({ model }) => model,
  },
  status: { label: 'Status', width: '7.75rem', cell: ({ status }) => <StatusBadge value={status} /> },
  trust_stage: { label: 'Stage', width: '7rem', cell: ({ stage }) => <StageBadge value={stage} /> },
  protection_status: {
    label: 'Protection',
    width: '7.5rem',
    cell: ({ protection }) => <ProtectionBadge value={protection} />,
  },
  'latest_evaluation.overall_score': {
    label: 'Score',
    width: '6.25rem',
    sort: 'score',
    cell: ({ score, behind, outdated }) => <Score value={score} behind={behind} outdated={outdated} />,
  },
  updated_at: {
    label: 'Last change',
    width: '9rem',
    cell: ({ updatedAt }, { changer }) => <When at={updatedAt} who={changer} />,
  },
  created_at: {
    label: 'Created',
    width: '7.5rem',
    sort: 'created_at',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  created_by: {
    label: 'Created by',
    width: '9rem',
    cell: (_, { creator }) =>
      creator === undefined || creator === null ? (
        <Absent label="The name is not known" />
      ) : (
        <span className="row">
          <Avatar name={creator} />
          <span className="cut">{creator}</span>
        </span>
      ),
  },
  access_level: {
    label: 'Access',
    width: '6rem',
    cell: ({ access }) => (access === '' ? <Absent /> : wordOf('access_levels', access)),
  },
  protocol: {
    label: 'Protocol',
    width: '9rem',
    className: 'cut',
    cell: ({ protocol }) => (protocol === '' ? <Absent /> : <Text>{words(PROTOCOL, protocol)}</Text>),
  },
  hub: {
    label: 'Hub',
    width: '8rem',
    className: 'cut',
    cell: ({ hub }) => (hub === null ? <Absent /> : <Text>{hub}</Text>),
  },
  'agent_metadata.tags': {
    label: 'Tags',
    width: '11rem',
    className: 'cut',
    cell: ({ tags }) => (tags.length === 0 ? <Absent /> : <Text>{tags.join(', ')}</Text>),
  },
}

function Text({ children }: { children: string }): ReactElement {
  return <span title={children}>{children}</span>
}

/** undefined: the list does not know who it was. The time is first, so that the times stand below each other. */
export function When({ at, who }: { at: number; who: string | null | undefined }): ReactElement {
  return (
    <span className="row nowrap">
      <RelativeTime at={at} />
      {who === undefined ? null : <Avatar name={who} alone />}
    </span>
  )
}

export interface ListHandle {
  /** Scrolls the row into view and gives its link the focus. */
  focus: (index: number) => void
  /** The first and the last row in view. */
  range: () => readonly [from: number, to: number]
}

/** Of the table and of the cards. */
export interface ListProps extends TailProps {
  rows: readonly FleetRow[]
  /** Of all pages; undefined while it is not known. */
  total: number | undefined
  selection: ReadonlyMap<string, FleetRow>
  cursor: string | undefined
  peopleOf: (row: FleetRow) => People
  hrefOf: (id: string) => string
  /** Equal for the same filters and order. */
  listKey: string
  handle: RefObject<ListHandle | null>
  onOpen: (id: string) => void
  onToggle: (id: string, range: boolean) => void
  onCursor: (id: string) => void
}

/** A new tab or window is the browser's business. */
export function isModified({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || ctrlKey || metaKey || shiftKey || altKey
}

interface TailProps {
  /** There is a next page. */
  hasMore: boolean
  /** It is being loaded. */
  busy: boolean
  failure: Failure | undefined
  onMore: () => void
}

/** Below the last row that is loaded: the next page is on its way, or it could not be loaded. */
export function ListTail({ failure, onMore }: Pick<TailProps, 'failure' | 'onMore'>): ReactElement {
  if (failure === undefined) {
    return (
      <span className="row t3" role="status">
        Loading more agents
      </span>
    )
  }
  return (
    <span className="row" role="alert">
      <Icon name="alert" size="s" className="danger-t" />
      <span className="cut">
        More agents could not be loaded: {failure.detail} <span className="mono t3">{failure.code}</span>
        {failure.requestId === undefined ? null : <span className="mono t3"> · req {failure.requestId}</span>}
      </span>
      <Button icon="retry" onClick={onMore}>
        Try again
      </Button>
    </span>
  )
}
