import type { AgentResult, TrustStage } from '@agent-console/sdk'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { isStatus, toastFailure } from '../api/problem.ts'
import { toast } from '../shared/ui/toast.tsx'
import { STAGES, words } from '../shared/words.ts'
import { type Card, withOnTop, without } from './cards.ts'
import { columnQuery, countsQuery, withMoved } from './queries.ts'
import type { LifecycleSearch } from './search.ts'

export interface Move {
  card: Card
  to: TrustStage
  reason: string | undefined
  /** It takes a move back, and is not offered to be taken back itself. */
  isUndo?: boolean
}

/** Moves the card at once; a failure puts it back. */
export function useMove(search: LifecycleSearch): UseMutationResult<AgentResult, Error, Move> {
  const client = useQueryClient()
  const counts = countsQuery(search).queryKey
  const put = (card: Card, from: TrustStage, to: TrustStage): void => {
    client.setQueryData(columnQuery(from, search).queryKey, (column) => without(column, card.agent.id))
    client.setQueryData(columnQuery(to, search).queryKey, (column) =>
      withOnTop(column, { ...card, agent: { ...card.agent, trust_stage: to } }),
    )
    client.setQueryData(counts, (facets) => withMoved(facets, from, to))
  }
  const move = useMutation({
    mutationFn: ({ card, to, reason }: Move) =>
      api().agents.moveStage(card.agent.id, to, { reason, ifRevision: card.revision }),
    onMutate: async ({ card, to }) => {
      await client.cancelQueries({ queryKey: keys.lists })
      put(card, card.agent.trust_stage, to)
    },
    onSuccess: ({ agent, revision }, { card, to, isUndo = false }) => {
      const moved = { revision, agent: { ...card.agent, trust_stage: to } }
      client.setQueryData(columnQuery(to, search).queryKey, (column) => withOnTop(column, moved))
      void client.invalidateQueries({ queryKey: keys.one(agent.id) })
      const undo = (): void =>
        move.mutate({ card: moved, to: card.agent.trust_stage, reason: undefined, isUndo: true })
      toast({
        text: `${agent.agent_name} moved ${isUndo ? 'back ' : ''}to ${words(STAGES, to)}, revision ${revision}`,
        ...(isUndo ? {} : { action: { label: 'Undo', run: undo } }),
      })
    },
    onError: (error, { card, to }) => {
      const from = card.agent.trust_stage
      put(card, to, from)
      for (const stage of [from, to]) {
        void client.invalidateQueries({ queryKey: columnQuery(stage, search).queryKey })
      }
      toastFailure(
        isStatus(error, 412)
          ? `${card.agent.agent_name} was changed by someone else and is back in its column`
          : `${card.agent.agent_name} is back in its column`,
        error,
      )
    },
  })
  return move
}
