import type { ReactElement, ReactNode } from 'react'
import { Avatar } from '../shared/ui/avatar.tsx'
import { Absent, ProtectionBadge, Score, StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { PROTOCOL, words } from '../shared/words.ts'
import type { ColumnId } from './column-ids.ts'
import { wordOf } from './filters.ts'
import type { FleetRow } from './row.ts'

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
