import type { AgentResult, AgentUpdate, TrustStage } from '@agent-console/sdk'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { api, keys, queryClient } from '../api/client.ts'
import { toastFailure } from '../api/problem.ts'
import { toast } from '../shared/ui/toast.tsx'
import { STAGES, words } from '../shared/words.ts'

interface Move {
  stage: TrustStage
  reason: string | undefined
  revision: number
}

type StageMutation = UseMutationResult<AgentResult, Error, Move, TrustStage | undefined>

export function useMoveStage(id: string): StageMutation {
  return useMutation({
    mutationFn: ({ stage, reason, revision }) =>
      api().agents.moveStage(id, stage, { reason, ifRevision: revision }),
    onMutate: () => queryClient.getQueryData<AgentResult>(keys.one(id))?.agent.trust_stage,
    onSuccess: ({ revision }, { stage }, from) => {
      void queryClient.invalidateQueries({ queryKey: keys.one(id) })
      toast({
        text: `Moved to ${words(STAGES, stage)}, revision ${revision}`,
        ...(from === undefined
          ? {}
          : { action: { label: 'Undo', run: () => void moveBack(id, from, revision) } }),
      })
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: keys.one(id) }),
  })
}

async function moveBack(id: string, stage: TrustStage, moved: number): Promise<void> {
  try {
    const { revision } = await api().agents.moveStage(id, stage, { ifRevision: moved })
    toast({ text: `Moved back to ${words(STAGES, stage)}, revision ${revision}` })
  } catch (error) {
    toastFailure('Not moved back', error)
  }
  void queryClient.invalidateQueries({ queryKey: keys.one(id) })
}

interface Change {
  changes: AgentUpdate
  revision: number
  /** What the toast says. */
  done: string
  /** The change that takes it back; the toast offers it. */
  undo?: AgentUpdate
}

/** For a small change from a menu; the configuration editor has its own. */
export function useChangeAgent(id: string): UseMutationResult<AgentResult, Error, Change> {
  const change: UseMutationResult<AgentResult, Error, Change> = useMutation({
    mutationFn: ({ changes, revision }: Change) => api().agents.update(id, changes, { ifRevision: revision }),
    onSuccess: ({ revision }, { done, undo }) => {
      void queryClient.invalidateQueries({ queryKey: keys.one(id) })
      const takeBack = (changes: AgentUpdate): void =>
        change.mutate({ changes, revision, done: 'Taken back' })
      toast({
        text: `${done}, revision ${revision}`,
        ...(undo === undefined ? {} : { action: { label: 'Undo', run: () => takeBack(undo) } }),
      })
    },
    onError: (error) => toastFailure('Not changed', error),
  })
  return change
}

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
