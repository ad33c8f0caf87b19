import type { DependentsImpact } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { describe } from '../../api/problem.ts'
import { plural } from '../../shared/numbers.ts'
import { StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed } from '../../shared/ui/states.tsx'
import { dependentsQuery } from '../records/queries.ts'

const SHOWN = 5

interface DependentsProps {
  id: string
  impact: DependentsImpact | undefined
  /** Why there is no impact. */
  error: Error | null
  onRetry: () => void
}

/** The agents that hand work to the agent. */
export function Dependents({ id, impact, error, onRetry }: DependentsProps): ReactElement {
  const { data } = useQuery(dependentsQuery(id))
  if (impact === undefined) {
    if (error === null) return <p className="t3">Looking for agents that hand work to it…</p>
    const title = 'The agents that hand work to it could not be loaded'
    return <Failed title={title} failure={describe(error)} onRetry={onRetry} />
  }
  const { dependents: count, has_more: more } = impact
  if (count === 0) return <p>No other agent of the team hands work to it.</p>
  const shown = data?.results.slice(0, SHOWN) ?? []
  return (
    <div className={join(pageStyles.banner, pageStyles.warn)}>
      <Icon name="alert" className="warn-t" />
      <div className="grow">
        <p className="b6">
          {plural(count, 'agent')}
          {more ? ' or more' : ''} {count === 1 && !more ? 'hands' : 'hand'} work to it
        </p>
        <p className="sm t2">Their delegation leads nowhere afterwards.</p>
        <ul className="mt2">
          {shown.map((dependent) => (
            <li key={dependent.id} className="row sm">
              <span className="cut grow">{dependent.agent_name}</span>
              {dependent.trust_stage === undefined ? null : <StageBadge value={dependent.trust_stage} />}
            </li>
          ))}
        </ul>
        {count > shown.length && shown.length > 0 ? (
          <p className="sm t3">and {count - shown.length} more</p>
        ) : null}
      </div>
    </div>
  )
}
