/** The list that was left for an agent, so that j and k go on in it. */
export interface LeftList {
  /** "Outdated scores", or "Fleet" without a name. */
  label: string
  /** The address of the list with its filters: "?statuses=active". */
  search: string
  ids: readonly string[]
  /** Place of the first id in the list, from 0. Default: it is the first one. */
  first?: number
  /** How many match; absent where it is not known. */
  total?: number
}

export interface Neighbours {
  label: string
  search: string
  /** From 1. */
  position: number
  total: number
  previous: string | undefined
  next: string | undefined
}

const KEY = 'left-list'
/** Enough to walk through; a list of 10,000 ids would fill the storage. */
export const KEPT = 1000

export function rememberList(list: LeftList): void {
  sessionStorage.setItem(KEY, JSON.stringify({ ...list, ids: list.ids.slice(0, KEPT) }))
}

/** undefined: the agent is not in the list that was left. */
export function neighboursOf(id: string): Neighbours | undefined {
  const text = sessionStorage.getItem(KEY)
  if (text === null) return undefined
  const list = JSON.parse(text) as LeftList
  const index = list.ids.indexOf(id)
  if (index === -1) return undefined
  return {
    label: list.label,
    search: list.search,
    position: (list.first ?? 0) + index + 1,
    total: list.total ?? list.ids.length,
    previous: list.ids[index - 1],
    next: list.ids[index + 1],
  }
}
