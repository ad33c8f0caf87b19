import { type KeyboardEvent, useCallback } from 'react'

const CARD = '[data-card]'

export function focusCard(id: string): void {
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
