/** An element of a row, and the agent that it shows. */
export interface Slot {
  key: number
  id: string
}

interface Wanted {
  /** Agents in view, from top to bottom. */
  ids: readonly string[]
  /** In the document from top to bottom, too. Elements that move are expensive, so not while the table scrolls. */
  ordered: boolean
  /** The agent whose row has the focus. Its element never shows another agent: the focus would go over to that. */
  focused: string | undefined
}

/**
 * Which element shows which agent. An agent that stays in view keeps its element; the elements of agents that left are
 * given to those that came, because new text in an old element costs less than a new element.
 */
export function assignSlots(before: readonly Slot[], { ids, ordered, focused }: Wanted): readonly Slot[] {
  const shown = new Set(before.map(({ id }) => id))
  const wanted = new Set(ids)
  const coming = ids.filter((id) => !shown.has(id))
  let next = 1 + Math.max(-1, ...before.map(({ key }) => key))
  const slots = before.flatMap((slot): readonly Slot[] => {
    if (wanted.has(slot.id)) return [slot]
    const id = slot.id === focused ? undefined : coming.shift()
    return id === undefined ? [] : [{ key: slot.key, id }]
  })
  for (const id of coming) {
    slots.push({ key: next, id })
    next += 1
  }
  if (!ordered) return slots
  const byId = new Map(slots.map((slot) => [slot.id, slot]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
