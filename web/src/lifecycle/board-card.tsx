import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { ProtectionBadge, Score, StatusBadge } from '../shared/ui/badges.tsx'
import { IconButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { behindOf, type Card } from './cards.ts'
import styles from './lifecycle.module.css'

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

export function BoardCard(props: BoardCardProps): ReactElement {
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
