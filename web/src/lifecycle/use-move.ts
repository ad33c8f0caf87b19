import type { TrustStage } from '@agent-console/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
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
}

/** Moves the card at once; a failure puts it back. */
export function useMove(search: LifecycleSearch) {
  const client = useQueryClient()
  const counts = countsQuery(search).queryKey
  const put = (card: Card, from: TrustStage, to: TrustStage): void => {
    client.setQueryData(columnQuery(from, search).queryKey, (column) => without(column, card.agent.id))
    client.setQueryData(columnQuery(to, search).queryKey, (column) =>
      withOnTop(column, { ...card, agent: { ...card.agent, trust_stage: to } }),
    )
    client.setQueryData(counts, (facets) => withMoved(facets, from, to))
  }
  return useMutation({
    mutationFn: ({ card, to, reason }: Move) =>
      api().agents.moveStage(card.agent.id, to, { reason, ifRevision: card.revision }),
    onMutate: async ({ card, to }) => {
      await client.cancelQueries({ queryKey: keys.lists })
      put(card, card.agent.trust_stage, to)
    },
    onSuccess: ({ agent, revision }, { card, to }) => {
      client.setQueryData(columnQuery(to, search).queryKey, (column) =>
        withOnTop(column, { revision, agent: { ...card.agent, trust_stage: to } }),
      )
      void client.invalidateQueries({ queryKey: keys.one(agent.id) })
      toast({ text: `${agent.agent_name} is ${words(STAGES, to)} now, revision ${revision}` })
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
}
