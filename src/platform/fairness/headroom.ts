/** Keeps a part of a busy thread free for the other teams while one team uses nearly everything: a turn of their own is worth
 * little to them if each step of their requests waits behind the work of that team. */
export interface Headroom {
  /** Counts the time that a team has held a place. */
  count: (team: string, heldMs: number) => void
  /** How many of the places of a queue the team may hold now. */
  limit: (team: string, places: number) => number
}

export interface HeadroomOptions {
  /** How busy the thread may be, above 0 and up to 1, before a team that dominates has to wait. */
  maxUtilization: number
  /** How busy the thread was in the last few milliseconds, from 0 to 1. */
  utilization: () => number
  /** Milliseconds on a clock that never goes back. */
  now: () => number
}

/** A team dominates if it held more than this share of the time that all teams held places. Two teams with the same load do not. */
const DOMINANT_SHARE = 0.75

/** What is counted is forgotten at the end of the next period. */
const PERIOD_MS = 1_000

interface Held {
  thisPeriodMs: number
  lastPeriodMs: number
}

export function createHeadroom({ maxUtilization, utilization, now }: HeadroomOptions): Headroom {
  const teams = new Map<string, Held>()
  let totalMs = 0
  let periodEndsAt = now() + PERIOD_MS

  const beginPeriodIfOver = () => {
    const at = now()
    if (at < periodEndsAt) return
    if (at >= periodEndsAt + PERIOD_MS) teams.clear()
    periodEndsAt = at + PERIOD_MS
    totalMs = 0
    for (const [team, held] of teams) {
      if (held.thisPeriodMs === 0) teams.delete(team)
      totalMs += held.thisPeriodMs
      held.lastPeriodMs = held.thisPeriodMs
      held.thisPeriodMs = 0
    }
  }

  const dominates = (team: string) => {
    beginPeriodIfOver()
    const held = teams.get(team)
    if (!held || teams.size === 1) return false
    return held.thisPeriodMs + held.lastPeriodMs > DOMINANT_SHARE * totalMs
  }

  return {
    count: (team, heldMs) => {
      beginPeriodIfOver()
      const held = teams.get(team) ?? { thisPeriodMs: 0, lastPeriodMs: 0 }
      teams.set(team, held)
      held.thisPeriodMs += heldMs
      totalMs += heldMs
    },
    // The busier the thread, the fewer places: a team that mostly waits for the database keeps many.
    limit: (team, places) =>
      dominates(team) ? Math.ceil(places * Math.max(0, 1 - utilization() / maxUtilization)) : places,
  }
}
