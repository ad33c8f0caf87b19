import type { TrustStage } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactElement, useCallback, useEffect, useState } from 'react'
import { describe } from '../api/problem.ts'
import { formatCount } from '../shared/format.ts'
import { ProtectionBadge, Score, StageGlyph, StatusBadge } from '../shared/ui/badges.tsx'
import { IconButton, MoreButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Failed, Loading } from '../shared/ui/states.tsx'
import { STAGES, words } from '../shared/words.ts'
import styles from './lifecycle.module.css'
import { behindOf, type Card, cardsOf, columnQuery } from './queries.ts'
import type { LifecycleSearch } from './search.ts'

interface ColumnProps {
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

interface BoardCardProps {
  card: Card
  /** One card of each column is a stop of the Tab key; arrows reach the others. */
  isStop: boolean
  isDragged: boolean
  /** Why it cannot be moved; it names the missing permission. */
  off: string | false
  onFocus: () => void
  onMove: () => void
  onDrag: (dragged: boolean) => void
}

function BoardCard(props: BoardCardProps): ReactElement {
  const { card, isStop, isDragged, off, onFocus, onMove, onDrag } = props
  const { agent } = card
  const tabIndex = isStop ? 0 : -1
  const evaluation = agent.latest_evaluation
  return (
    <article
      className={styles.card}
      data-dragged={isDragged || undefined}
      draggable={off === false}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', agent.agent_name)
        onDrag(true)
      }}
      onDragEnd={() => onDrag(false)}
      onFocus={onFocus}
    >
      <div className="row top">
        <Link
          to="/agents/$id"
          params={{ id: agent.id }}
          className={join(styles.name, 'grow')}
          data-card={agent.id}
          tabIndex={tabIndex}
          draggable={false}
          preload={false}
        >
          {agent.agent_name}
        </Link>
        <IconButton
          icon="moreVertical"
          label={`Move ${agent.agent_name} to another stage`}
          className={styles.move}
          tabIndex={tabIndex}
          off={off}
          onClick={onMove}
        />
      </div>
      <div className={styles.facts}>
        <StatusBadge value={agent.status} glyphOnly />
        <ProtectionBadge value={agent.protection_status} glyphOnly />
        <span className="sp" />
        <Score
          value={evaluation?.overall_score}
          behind={behindOf(card)}
          outdated={evaluation !== undefined && evaluation !== null && evaluation.current === false}
        />
      </div>
    </article>
  )
}

const CARD = '[data-card]'

function focusCard(id: string): void {
  document.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)?.focus()
}

/** Arrow keys: up and down in a column, left and right to the card at the same height of the next column. */
export function useArrows(): (event: KeyboardEvent<HTMLElement>) => void {
  return useCallback((event) => {
    const card = (event.target as HTMLElement).closest('article')?.querySelector<HTMLElement>(CARD)
    const column = card?.closest('section')
    if (!card || !column || event.altKey || event.ctrlKey || event.metaKey) return
    const next = neighbour(event.key, card, column)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }, [])
}

function neighbour(key: string, card: HTMLElement, column: HTMLElement): HTMLElement | undefined {
  const index = cardsIn(column).indexOf(card)
  if (key === 'ArrowDown') return cardsIn(column)[index + 1]
  if (key === 'ArrowUp') return cardsIn(column)[index - 1]
  const step = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[key] as
    | 'nextElementSibling'
    | 'previousElementSibling'
    | undefined
  if (step === undefined) return undefined
  for (let other = column[step]; other instanceof HTMLElement; other = other[step]) {
    const cards = cardsIn(other)
    if (cards.length > 0) return cards[Math.min(index, cards.length - 1)]
  }
  return undefined
}

function cardsIn(column: HTMLElement): HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>(CARD)]
}
