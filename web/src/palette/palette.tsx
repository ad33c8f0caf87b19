import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react'
import { describe } from '../api/problem.ts'
import { shownKeys } from '../shared/keys.ts'
import { StageBadge, StatusBadge } from '../shared/ui/badges.tsx'
import { Kbd } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Modal } from '../shared/ui/modal.tsx'
import { type Item, isOff, mark, type PalettePage, step } from './items.ts'
import styles from './palette.module.css'
import { useGroups } from './use-groups.ts'

interface PaletteProps {
  pages: readonly PalettePage[]
  onClose: () => void
  /** Opens the sheet of keys. */
  onKeys: () => void
}

/** Agents by name, what can be done on this page, pages, and saved views. */
export function Palette({ pages, onClose, onKeys }: PaletteProps): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Modal onClose={onClose} initialFocus={input}>
      <div className={styles.palette}>
        <Dialog.Title className="hid">Search or jump to</Dialog.Title>
        <Search input={input} pages={pages} onClose={onClose} onKeys={onKeys} />
      </div>
    </Modal>
  )
}

interface SearchProps extends PaletteProps {
  input: React.RefObject<HTMLInputElement | null>
}

function Search({ input, pages, onClose, onKeys }: SearchProps): ReactElement {
  const [text, setText] = useState('')
  const [current, setCurrent] = useState(0)
  const listId = useId()
  const query = text.trim()
  const { groups, error } = useGroups(query, pages, onKeys)
  const items = groups.flatMap((group) => group.items)
  const index = Math.min(current, items.length - 1)
  const chosen = items[index]
  const optionId = (item: Item): string => `${listId}-${item.id}`

  useEffect(() => {
    if (chosen !== undefined)
      document.getElementById(`${listId}-${chosen.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, listId])

  const take = (item: Item | undefined, newTab: boolean): void => {
    if (item === undefined || isOff(item)) return
    if (newTab && item.href !== undefined) window.open(`/console${item.href}`, '_blank', 'noopener')
    else {
      onClose()
      item.run()
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) setCurrent(step(index, by, items.length))
    else if (event.key === 'Enter') take(chosen, event.ctrlKey || event.metaKey)
    else if (event.key === '?' && text === '') {
      onClose()
      onKeys()
    } else return
    event.preventDefault()
  }

  return (
    <>
      <div className={styles.query}>
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          {...(chosen === undefined ? {} : { 'aria-activedescendant': optionId(chosen) })}
          placeholder="An agent, a page, a view or an action"
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setCurrent(0)
          }}
          onKeyDown={onKeyDown}
        />
        <Dialog.Close className={styles.close}>
          <Kbd>Esc</Kbd>
          <Icon name="close" />
          <span className="hid">Close</span>
        </Dialog.Close>
      </div>
      <div className={styles.list} id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => (
          <section key={group.label} role="group" aria-label={group.label}>
            <h3 aria-hidden="true">{group.label}</h3>
            {group.items.map((item) => (
              <Option
                key={item.id}
                id={optionId(item)}
                item={item}
                text={query}
                on={item === chosen}
                onTake={(newTab) => take(item, newTab)}
                onPoint={() => setCurrent(items.indexOf(item))}
              />
            ))}
          </section>
        ))}
      </div>
      {items.length === 0 ? <p className={styles.none}>Nothing has “{query}” in its name.</p> : null}
      {error === null ? null : (
        <p className={join(styles.none, 'danger-t')}>
          The agents could not be searched: {describe(error).detail}
        </p>
      )}
      <footer>
        <span className="row row-1">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd> Move
        </span>
        <span className="row row-1">
          <Kbd>Enter</Kbd> Open
        </span>
        <span className="row row-1 col-mid">
          <Kbd>Ctrl Enter</Kbd> New tab
        </span>
        <span className="sp" />
        <span className="row row-1">
          <Kbd>?</Kbd> All keys
        </span>
      </footer>
      <span className="hid" role="status">
        {items.length} results
      </span>
    </>
  )
}

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
