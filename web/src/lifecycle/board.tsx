import type { AgentFacets, AgentResult, TrustStage } from '@agent-console/sdk'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { api, keys } from '../api/client.ts'
import { isStatus, toastFailure } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { useChanges } from '../live/state.ts'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { MoveStageDialog } from '../shared/ui/dialogs.tsx'
import { toast } from '../shared/ui/toast.tsx'
import { STAGES, words } from '../shared/words.ts'
import { BoardColumn, useArrows } from './board-column.tsx'
import styles from './lifecycle.module.css'
import {
  type Card,
  columnQuery,
  countOf,
  countsQuery,
  STAGE_NAMES,
  withMoved,
  withOnTop,
  without,
} from './queries.ts'
import type { LifecycleSearch } from './search.ts'

interface BoardProps {
  search: LifecycleSearch
  facets: AgentFacets | undefined
}

export function Board({ search, facets }: BoardProps): ReactElement {
  const [current, setCurrent] = useState<Card>()
  const [dragged, setDragged] = useState<Card>()
  const [asked, setAsked] = useState<{ card: Card; to: TrustStage | undefined }>()
  const off = useOff('agent:lifecycle')
  const move = useMove(search)
  const [moved, setMoved] = useState<string>()
  const onKeyDown = useArrows()
  useLiveColumns(dragged !== undefined || asked !== undefined)

  const shortcuts = useMemo<Shortcut[]>(
    () => [
      {
        keys: 'm',
        label: current === undefined ? 'Move the card' : `Move ${current.agent.agent_name}…`,
        group: 'Lifecycle',
        icon: 'chart',
        off: off || (current === undefined && 'Choose a card first, with Tab and the arrow keys'),
        run: () => current && setAsked({ card: current, to: undefined }),
      },
    ],
    [current, off],
  )
  useKeys(shortcuts)

  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrows between the links of the cards */}
      <div className={styles.board} onKeyDown={onKeyDown}>
        {STAGE_NAMES.map((stage) => (
          <BoardColumn
            key={stage}
            stage={stage}
            search={search}
            count={countOf(facets, stage)}
            current={current?.agent.id}
            dragged={dragged}
            off={off}
            keepFocus={moved}
            onFocus={(card) => {
              setCurrent(card)
              if (card.agent.id !== moved) setMoved(undefined)
            }}
            onMove={(card, to) => setAsked({ card, to })}
            onDrag={setDragged}
          />
        ))}
      </div>
      {asked === undefined ? null : (
        <MoveStageDialog
          what={asked.card.agent.agent_name}
          current={asked.card.agent.trust_stage}
          initial={asked.to}
          onClose={() => setAsked(undefined)}
          onMove={(stage, reason) => {
            setMoved(asked.card.agent.id)
            setAsked(undefined)
            setCurrent(undefined)
            move.mutate({ card: asked.card, to: stage as TrustStage, reason })
          }}
        />
      )}
    </>
  )
}

/** Changes of others are shown, but never while a card is held or a question is open. */
function useLiveColumns(busy: boolean): void {
  const client = useQueryClient()
  const missed = useRef(false)
  const isBusy = useRef(busy)
  const refetch = useCallback(() => {
    missed.current = isBusy.current
    if (!isBusy.current) void client.invalidateQueries({ queryKey: keys.lists })
  }, [client])
  useEffect(() => {
    isBusy.current = busy
    if (!busy && missed.current) refetch()
  }, [busy, refetch])
  useChanges(refetch)
}

interface Move {
  card: Card
  to: TrustStage
  reason: string | undefined
  /** It takes a move back, and is not offered to be taken back itself. */
  isUndo?: boolean
}

/** Moves the card at once; a failure puts it back. */
function useMove(search: LifecycleSearch): UseMutationResult<AgentResult, Error, Move> {
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
