import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { STAGES, words } from '../../shared/words.ts'
import { pastAgentQuery } from './queries.ts'

interface StageMoveProps {
  agentId: string
  revision: number
}

/** The list of revisions does not tell the new stage. Stage moves are rare, so each is read by itself. */
export function StageMove({ agentId, revision }: StageMoveProps): ReactElement {
  const { data } = useQuery(pastAgentQuery(agentId, revision))
  if (data === undefined) return <span className="t2">moved the trust stage</span>
  return (
    <>
      <span className="t2">moved to</span> {words(STAGES, data.agent.trust_stage)}
    </>
  )
}
