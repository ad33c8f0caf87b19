import '../records/styles.css'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useAgent } from '../queries.ts'
import { ScoresCard } from '../scores/scores-card.tsx'
import { AboutCard } from './about-card.tsx'
import { ActivityCard } from './activity-card.tsx'
import { DelegationCard } from './delegation-card.tsx'
import { ProtectionCard } from './protection-card.tsx'

const route = getRouteApi('/agents/$id/')

/** The page around it has loaded the agent, or says why not. */
export function OverviewPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data } = useAgent(id)
  if (data === undefined) return null
  return (
    <div className="pad g-over over-page" key={id}>
      <div className="col col-4">
        <ScoresCard
          result={data}
          aside={
            <Link to="/agents/$id/scores" params={{ id }} className="btn quiet not-phone">
              All evaluations
            </Link>
          }
        />
        <ActivityCard id={id} />
      </div>
      <div className="col col-4">
        <ProtectionCard result={data} />
        <DelegationCard agent={data.agent} />
        <AboutCard agent={data.agent} />
      </div>
    </div>
  )
}
