import type { Agent, AgentDelegation } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe } from '../../api/problem.ts'
import { plural } from '../../shared/format.ts'
import { StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { delegationQuery, dependentsQuery } from '../queries.ts'
import recordsStyles from '../revisions.module.css'
import { type Step, weakestPath } from '../weakest-path.ts'
import styles from './overview.module.css'

export function DelegationCard({ agent }: { agent: Agent }): ReactElement {
  const { id, delegated_agents: out } = agent
  const { data, error, refetch } = useQuery(delegationQuery(id))
  const dependents = useQuery(dependentsQuery(id)).data
  const into = dependents && `${dependents.results.length}${dependents.next_cursor === null ? '' : '+'} in`
  return (
    <section className={pageStyles.card}>
      <header>
        <h2>Delegation</h2>
        <span className="sm t3">{[`${out.length} out`, into].filter(Boolean).join(' · ')}</span>
        <span className="sp" />
        <Link to="/agents/$id/delegation" params={{ id }} className="link">
          Open graph
        </Link>
      </header>
      {data !== undefined ? (
        <Weakest delegation={data} count={out.length} />
      ) : error === null ? (
        <Loading what="the delegation" rows={3} />
      ) : (
        <Failed
          title="The delegation could not be loaded"
          failure={describe(error)}
          onRetry={() => void refetch()}
        />
      )}
    </section>
  )
}

function Weakest({ delegation, count }: { delegation: AgentDelegation; count: number }): ReactElement {
  const path = weakestPath(delegation)
  const partly = delegation.complete ? '' : ' Not all of the graph was read.'
  if (path === undefined) {
    return (
      <p className={join(pageStyles.inset, 't2')}>
        {count === 0
          ? 'It hands work to no other agent.'
          : `Nothing that it hands work to has a lower trust stage or less protection.${partly}`}
      </p>
    )
  }
  return (
    <div className={join(pageStyles.inset, 'col col-3')}>
      <div className="row sm top">
        <Icon name="alert" size="s" className="danger-t mt" />
        <span>
          <span className="b6">Weakest path</span>{' '}
          <span className="t2">
            {plural(path.steps.length, 'agent')}, {path.ending}
            {partly === '' ? '' : `.${partly}`}
          </span>
        </span>
      </div>
      <ol className={recordsStyles.path}>
        {path.steps.map((step, index) => (
          <li key={`${index}${step.id}`}>
            <span className={recordsStyles.number}>{index + 1}</span>
            <span className="row">
              <Name step={step} first={index === 0} />
              <span className="sp" />
              <span className={join(styles.stage, 'sm t2')}>
                {step.stage === undefined ? 'Unknown' : <StageBadge value={step.stage} />}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Name({ step: { id, name }, first }: { step: Step; first: boolean }): ReactElement {
  if (first || id === undefined) {
    return (
      <span className="cut b5" title={name}>
        {name}
      </span>
    )
  }
  return (
    <Link to="/agents/$id" params={{ id }} className={'cut b5'} title={name}>
      {name}
    </Link>
  )
}
