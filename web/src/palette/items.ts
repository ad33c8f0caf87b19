import type { IconName } from '../shared/ui/icon.tsx'

export interface Item {
  id: string
  label: string
  icon?: IconName
  /** Of an agent. */
  status?: string
  stage?: string
  /** Beside the label: "2 need attention". */
  note?: string | undefined
  /** "m", "g l": shown as keys. */
  keys?: string | undefined
  /** Why it is off; it names the missing permission. */
  off?: string | false | undefined
  /** Address below the console, for a new tab. */
  href?: string
  run: () => void
}

/** A page of the navigation. */
export interface PalettePage {
  to: string
  label: string
  icon: IconName
  /** The key after g. */
  key: string
  note: string | undefined
  open: () => void
}

export interface Group {
  label: string
  items: readonly Item[]
}

/** Every word of the text must occur in the label. */
export function matches(label: string, text: string): boolean {
  const folded = label.toLocaleLowerCase()
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

/** Labels that begin with the text come first, then those with a word that does. The others keep their order. */
export function ranked<T>(items: readonly T[], labelOf: (item: T) => string, text: string): T[] {
  const start = text.toLocaleLowerCase()
  const rank = (item: T): number => {
    const label = labelOf(item).toLocaleLowerCase()
    if (label.startsWith(start)) return 0
    return label.split(/[\s\-_/.]+/).some((word) => word.startsWith(start)) ? 1 : 2
  }
  return items.toSorted((one, other) => rank(one) - rank(other))
}

/** What is off is never the first choice. */
export function offLast(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => Number(isOff(one)) - Number(isOff(other)))
}

export function isOff({ off }: Pick<Item, 'off'>): boolean {
  return typeof off === 'string'
}

/** The label in pieces; `hit` are those that contain the text. */
export function mark(label: string, text: string): { text: string; hit: boolean }[] {
  const at = text === '' ? -1 : label.toLocaleLowerCase().indexOf(text.toLocaleLowerCase())
  if (at === -1) return [{ text: label, hit: false }]
  return [
    { text: label.slice(0, at), hit: false },
    { text: label.slice(at, at + text.length), hit: true },
    { text: label.slice(at + text.length), hit: false },
  ].filter((piece) => piece.text !== '')
}

/** The next index in the given direction, round the ends; -1 without items. */
export function step(current: number, by: number, count: number): number {
  return count === 0 ? -1 : (current + by + count) % count
}
