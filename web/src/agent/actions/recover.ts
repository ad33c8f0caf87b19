import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { toastFailure } from '../../api/problem.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../shared/ui/toast.tsx'

/** Brings a deleted agent back and opens it. */
export function useRecover(): (id: string) => Promise<void> {
  const navigate = useNavigate()
  return useCallback(
    async (id) => {
      try {
        const { agent, revision } = await api().agents.recover(id)
        await queryClient.invalidateQueries({ queryKey: keys.agents })
        await navigate({ to: '/agents/$id', params: { id } })
        toast({ text: `${agent.agent_name} is back as it was, revision ${revision}` })
      } catch (error) {
        toastFailure('Not recovered', error)
      }
    },
    [navigate],
  )
}
