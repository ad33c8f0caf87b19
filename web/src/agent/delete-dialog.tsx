import type { AgentResult } from '@agent-console/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { toastFailure } from '../api/problem.ts'
import { queryClient } from '../api/query-client.ts'
import { plural } from '../shared/numbers.ts'
import { formatDate } from '../shared/time.ts'
import { ConfirmDialog } from '../shared/ui/confirm-dialog.tsx'
import { toast } from '../shared/ui/toast.tsx'

interface DeleteDialogProps {
  result: AgentResult
  onClose: () => void
}

/** Says what is lost and who depends on it before it asks for the name. */
export function DeleteDialog({ result: { agent, revision }, onClose }: DeleteDialogProps): ReactElement {
  const { id, agent_name: name } = agent
  const navigate = useNavigate()
  const plan = useQuery({
    queryKey: [...keys.one(id), 'delete-plan', revision],
    queryFn: ({ signal }) => api().agents.planDelete(id, { ifRevision: revision, signal }),
    staleTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => api().agents.delete(id, { ifRevision: revision }),
    onSuccess: async () => {
      await navigate({ to: '/agents' })
      queryClient.removeQueries({ queryKey: keys.one(id) })
      void queryClient.invalidateQueries({ queryKey: keys.agents })
      toast({ text: `${name} is deleted`, action: { label: 'Undo', run: () => void recover(id, name) } })
    },
    onError: (error) => toastFailure('Not deleted', error),
  })
  const impact = plan.data?.impact
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      typed={name}
      confirm="Delete agent"
      keep="Keep it"
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Its {plural(revision, 'revision')} and its secrets go with it.{' '}
        {plan.data === undefined ? '' : `It can be brought back until ${formatDate(plan.data.erase_at)}. `}
        The audit log keeps that you did it.
      </p>
      {impact === undefined || impact.dependents === 0 ? null : (
        <p className="warn-t mt2">
          {plural(impact.dependents, 'agent')}
          {impact.has_more ? ' or more' : ''} {impact.dependents === 1 ? 'hands' : 'hand'} work to it.
        </p>
      )}
    </ConfirmDialog>
  )
}

async function recover(id: string, name: string): Promise<void> {
  try {
    await api().agents.recover(id)
    void queryClient.invalidateQueries({ queryKey: keys.agents })
    toast({ text: `${name} is back` })
  } catch (error) {
    toastFailure('Not brought back', error)
  }
}
