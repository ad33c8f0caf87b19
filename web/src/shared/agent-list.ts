/** The list that was left for an agent, so that its neighbours are those of the list. Gone with the page. */
interface AgentList {
  ids: readonly string[]
  /** The search of the fleet page, with its question mark. */
  search: string
}

let left: AgentList | undefined

export function rememberAgentList(list: AgentList): void {
  left = list
}

export interface Neighbours {
  previous: string | undefined
  next: string | undefined
  /** The first is 1. */
  position: number
  /** Of the agents that were loaded. */
  count: number
  search: string
}

/** undefined: the agent was not opened from a list. */
export function neighboursOf(id: string): Neighbours | undefined {
  const at = left?.ids.indexOf(id) ?? -1
  if (left === undefined || at === -1) return undefined
  return {
    previous: left.ids[at - 1],
    next: left.ids[at + 1],
    position: at + 1,
    count: left.ids.length,
    search: left.search,
  }
}
