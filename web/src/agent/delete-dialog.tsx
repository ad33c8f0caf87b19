import type { AgentResult, DependentsImpact } from '@agent-console/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api, keys, queryClient } from '../api/client.ts'
import { describe, isStatus } from '../api/problem.ts'
import { formatDate, plural } from '../shared/format.ts'
import { StageBadge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { ConfirmDialog } from '../shared/ui/dialogs.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { Failed } from '../shared/ui/states.tsx'
import { toast } from '../shared/ui/toast.tsx'
import { useRecover } from './mutations.ts'
import { dependentsQuery } from './queries.ts'

interface DeleteDialogProps {
  result: AgentResult
  onClose: () => void
}

/** Says what is lost, what is kept and who depends on it before it asks for the name. */
export function DeleteDialog({ result: { agent, revision }, onClose }: DeleteDialogProps): ReactElement {
  const { id, agent_name: name } = agent
  const navigate = useNavigate()
  const recover = useRecover()
  const {
    data: plan,
    error: planError,
    refetch,
  } = useQuery({
    queryKey: [...keys.one(id), 'delete-plan', revision],
    queryFn: ({ signal }) => api().agents.planDelete(id, { ifRevision: revision, signal }),
    staleTime: 0,
    // A plan of before may be wrong.
    gcTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => api().agents.delete(id, { ifRevision: revision }),
    onSuccess: async () => {
      await navigate({ to: '/agents' })
      queryClient.removeQueries({ queryKey: keys.one(id) })
      void queryClient.invalidateQueries({ queryKey: keys.agents })
      toast({ text: `${name} is deleted`, action: { label: 'Undo', run: () => void recover(id) } })
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: keys.one(id) }),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      typed={name}
      confirm="Delete agent"
      keep="Keep it"
      wait={plan === undefined && planError === null ? 'Looking for agents that hand work to it' : undefined}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <div className="col col-3">
        <p>
          The agent disappears at once, for every user and every service.
          {plan === undefined
            ? ''
            : ` Until ${formatDate(plan.erase_at)} it can be recovered with its ${plural(revision, 'revision')}, ` +
              'scores and secrets; after that they are erased.'}{' '}
          The audit log keeps who deleted it.
        </p>
        <Dependents id={id} impact={plan?.impact} error={planError} onRetry={() => void refetch()} />
        {remove.error === null ? null : (
          <p className="danger-t" role="alert">
            {isStatus(remove.error, 412)
              ? 'Another user changed the agent meanwhile. Nothing was deleted; look at the change, then delete again.'
              : `Not deleted: ${describe(remove.error).detail} (${describe(remove.error).code})`}
          </p>
        )}
      </div>
    </ConfirmDialog>
  )
}

const SHOWN = 5

interface DependentsProps {
  id: string
  impact: DependentsImpact | undefined
  /** Why there is no impact. */
  error: Error | null
  onRetry: () => void
}

/** The agents that hand work to the agent. */
function Dependents({ id, impact, error, onRetry }: DependentsProps): ReactElement {
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
