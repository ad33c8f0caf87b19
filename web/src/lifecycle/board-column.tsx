import type { TrustStage } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useState } from 'react'
import { describe } from '../api/problem.ts'
import { formatCount } from '../shared/numbers.ts'
import { StageGlyph } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { MoreButton } from '../shared/ui/more-button.tsx'
import { Failed, Loading } from '../shared/ui/states.tsx'
import { STAGES, words } from '../shared/words.ts'
import { BoardCard } from './board-card.tsx'
import { type Card, cardsOf } from './cards.ts'
import { focusCard } from './focus.ts'
import styles from './lifecycle.module.css'
import { columnQuery } from './queries.ts'
import type { LifecycleSearch } from './search.ts'

export interface ColumnProps {
  stage: TrustStage
  search: LifecycleSearch
  count: number | undefined
  /** The card with the focus, or the last one that had it. */
  current: string | undefined
  dragged: Card | undefined
  /** A card that was moved keeps the focus, although it stands in another column, as another element. */
  keepFocus: string | undefined
  off: string | false
  onFocus: (card: Card) => void
  onMove: (card: Card, to?: TrustStage) => void
  onDrag: (card: Card | undefined) => void
}

export function BoardColumn(props: ColumnProps): ReactElement {
  const { stage, search, count, current, dragged, keepFocus, off, onFocus, onMove, onDrag } = props
  const [over, setOver] = useState(false)
  const query = useInfiniteQuery(columnQuery(stage, search))
  const cards = cardsOf(query.data)
  const word = words(STAGES, stage)
  useEffect(() => {
    const isHere = keepFocus !== undefined && cards.some(({ agent }) => agent.id === keepFocus)
    if (isHere && document.activeElement === document.body) focusCard(keepFocus)
  })
  const takes = dragged !== undefined && dragged.agent.trust_stage !== stage
  const stop = cards.some(({ agent }) => agent.id === current) ? current : cards[0]?.agent.id
  return (
    <section
      className={styles.column}
      aria-label={`${word}, ${count === undefined ? '' : formatCount(count)} agents`}
      onDragOver={(event) => {
        if (!takes) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (takes) onMove(dragged, stage)
      }}
    >
      <header>
        <div className="row">
          <StageGlyph value={stage} />
          <h2>{word}</h2>
          <span className="sp" />
          <span className="num b5">{count === undefined ? '' : shownOf(cards.length, count)}</span>
        </div>
      </header>
      <div className={styles.cards}>
        {takes && over ? (
          <div className={styles.drop}>
            Drop to move {dragged.agent.agent_name} to {word}
          </div>
        ) : null}
        {query.isPending ? <Loading what={word} rows={4} /> : null}
        {query.isError && query.data === undefined ? (
          <Failed title="Not loaded" failure={describe(query.error)} onRetry={() => void query.refetch()} />
        ) : null}
        {query.isSuccess && cards.length === 0 ? (
          <p className={join(styles.empty, 'sm t3')}>{emptyText(word, search)}</p>
        ) : null}
        {cards.map((card) => (
          <BoardCard
            key={card.agent.id}
            card={card}
            isStop={card.agent.id === stop}
            isDragged={card.agent.id === dragged?.agent.id}
            off={off}
            onFocus={() => onFocus(card)}
            onMove={() => onMove(card)}
            onDrag={(is) => onDrag(is ? card : undefined)}
          />
        ))}
        <MoreButton query={query}>Show 50 more</MoreButton>
      </div>
    </section>
  )
}

/** "50 of 120" while not all are shown. */
function shownOf(cards: number, count: number): string {
  return cards >= count ? formatCount(count) : `${formatCount(cards)} of ${formatCount(count)}`
}

function emptyText(stage: string, { q, evaluation, protection_statuses }: LifecycleSearch): string {
  const isFiltered = (q ?? evaluation ?? protection_statuses) !== undefined
  return isFiltered
    ? `No ${stage} agent matches the filters.`
    : `Agents that you move to ${stage} appear here.`
}
