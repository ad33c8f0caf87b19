import type { AgentFacets, TrustStage } from '@agent-console/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { keys } from '../api/keys.ts'
import { useOff } from '../auth/permissions.ts'
import { useChanges } from '../live/apply.ts'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { MoveStageDialog } from '../shared/ui/move-stage-dialog.tsx'
import { BoardColumn } from './board-column.tsx'
import type { Card } from './cards.ts'
import { useArrows } from './focus.ts'
import styles from './lifecycle.module.css'
import { countOf, STAGE_NAMES } from './queries.ts'
import type { LifecycleSearch } from './search.ts'
import { useMove } from './use-move.ts'

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
