import type { QueueRefusal } from './fair-queue.ts'

/** A limited amount of something that teams share, such as memory. */
export interface SharedBudget {
  /** Returns why the team cannot have the amount, or undefined if it has it now. */
  take: (team: string, amount: number) => QueueRefusal | undefined
  give: (team: string, amount: number) => void
}

/** A team can hold at most as much as remains free: alone half of the total, two teams a third each. So there is always
 * something left for a team that has nothing yet. Network switches share their buffers by the same rule. */
export function createSharedBudget(total: number): SharedBudget {
  const held = new Map<string, number>()
  let free = total

  return {
    take: (team, amount) => {
      const own = held.get(team) ?? 0
      if (own + amount > free) {
        const share = total / (held.size + 1)
        return own > 0 && own + amount > share ? 'own_share' : 'overloaded'
      }
      held.set(team, own + amount)
      free -= amount
      return undefined
    },
    give: (team, amount) => {
      const own = (held.get(team) ?? 0) - amount
      if (own > 0) held.set(team, own)
      else held.delete(team)
      free += amount
    },
  }
}
