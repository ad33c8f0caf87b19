import type { AgentResult } from '@agent-console/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe, isStatus } from '../../api/problem.ts'
import { queryClient } from '../../api/query-client.ts'
import { plural } from '../../shared/numbers.ts'
import { formatDate } from '../../shared/time.ts'
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx'
import { toast } from '../../shared/ui/toast.tsx'
import { Dependents } from './dependents.tsx'
import { useRecover } from './recover.ts'

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
            : ` Until ${formatDate(plan.erase_at)} it can be recovered with its ${plural(revision, 'revision')}, scores and secrets; after that they are erased.`}{' '}
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
