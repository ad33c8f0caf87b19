import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import buttonStyles from '../../shared/ui/button.module.css'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import { useAgent } from '../queries.ts'
import { ScoresCard } from '../scores/scores-card.tsx'
import { AboutCard } from './about-card.tsx'
import { ActivityCard } from './activity-card.tsx'
import { DelegationCard } from './delegation-card.tsx'
import styles from './overview.module.css'
import { ProtectionCard } from './protection-card.tsx'

const route = getRouteApi('/agents/$id/')

/** The page around it has loaded the agent, or says why not. */
export function OverviewPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data } = useAgent(id)
  if (data === undefined) return null
  return (
    <div className={join(pageStyles.body, pageStyles.columns, styles.page)} key={id}>
      <div className="col col-4">
        <ScoresCard
          result={data}
          aside={
            <Link
              to="/agents/$id/scores"
              params={{ id }}
              className={join(buttonStyles.button, buttonStyles.quiet, 'col-mid')}
            >
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
