import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { describe } from '../api/problem.ts'
import { StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { PageHead } from '../shared/ui/page.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { Failed, Loading } from '../shared/ui/states.tsx'
import { Column, Table } from '../shared/ui/table.tsx'

export function FleetPage(): ReactElement {
  const list = useQuery({
    queryKey: keys.list({ limit: 50 }),
    queryFn: ({ signal }) => api().agents.list({ limit: 50 }, { signal }),
  })
  return (
    <>
      <PageHead title="Fleet" />
      {list.isPending ? <Loading what="agents" /> : null}
      {list.isError ? (
        <Failed
          title="The agents could not be loaded"
          failure={describe(list.error)}
          onRetry={() => void list.refetch()}
        />
      ) : null}
      {list.data === undefined ? null : (
        <Table label="Agents" fixed full>
          <thead>
            <tr>
              <Column>Name</Column>
              <Column width="status">Status</Column>
              <Column width="stage">Stage</Column>
              <Column width="chg">Last change</Column>
            </tr>
          </thead>
          <tbody>
            {list.data.results.map((agent) => (
              <tr key={agent.id}>
                <td>
                  <Link to="/agents/$id" params={{ id: agent.id }} className="b5">
                    {agent.agent_name}
                  </Link>
                </td>
                <td>
                  <StatusBadge value={agent.status} />
                </td>
                <td>
                  <StageBadge value={agent.trust_stage} />
                </td>
                <td>
                  <RelativeTime at={agent.updated_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  )
}
