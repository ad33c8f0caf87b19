import type { ReactElement } from 'react'
import { shownKeys } from '../shared/keys.ts'
import { StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Kbd } from '../shared/ui/kbd.tsx'
import { type Item, isOff, mark } from './items.ts'
import styles from './palette.module.css'

interface OptionProps {
  id: string
  item: Item
  /** What was typed, to mark it. */
  text: string
  on: boolean
  onTake: (newTab: boolean) => void
  onPoint: () => void
}

/** The focus stays in the text field: it names the option that is on. */
export function Option({ id, item, text, on, onTake, onPoint }: OptionProps): ReactElement {
  const off = isOff(item)
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the text field has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      {...(off ? { 'aria-disabled': true } : {})}
      className={join(styles.option, on && styles.on, off && styles.off)}
      onClick={(event) => onTake(event.ctrlKey || event.metaKey)}
      onMouseMove={on ? undefined : onPoint}
    >
      {item.status === undefined ? (
        <Icon name={item.icon ?? 'forward'} size="s" />
      ) : (
        <StatusBadge value={item.status} glyphOnly />
      )}
      <span className="cut">
        {mark(item.label, text).map((piece, index) =>
          piece.hit ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
        )}
      </span>
      {item.note === undefined ? null : <span className="sm t2 nowrap">{item.note}</span>}
      {off ? <span className="sm cut">{item.off}</span> : null}
      <span className="sp" />
      {item.stage === undefined ? null : (
        <span className="sm t2 row">
          <StageBadge value={item.stage} />
        </span>
      )}
      {off ? (
        <Icon name="lock" size="s" />
      ) : on || item.keys !== undefined ? (
        <span className="row row-1" aria-hidden="true">
          {item.keys === undefined ? null : shownKeys(item.keys).map((key) => <Kbd key={key}>{key}</Kbd>)}
          {on ? <Icon name="enter" size="s" className="t3" /> : null}
        </span>
      ) : null}
    </div>
  )
}
