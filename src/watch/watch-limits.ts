import { Problem } from '../contract/problem.ts'
import type { Caller } from '../platform/identity/identity.ts'

export interface WatchLimits {
  readonly perUser: number
  readonly perTeam: number
  readonly perProcess: number
}

export type WatchLimit = 'user' | 'team' | 'process'

const RETRY = { headers: { 'retry-after': '2' } }

/** Counts the open watches. `enter` throws if a limit is reached, and returns the function to call at the end of a watch. */
export function createWatchLimits(limits: WatchLimits, countRefusal: (limit: WatchLimit) => void) {
  const users = new Map<string, number>()
  const teams = new Map<string, number>()
  let total = 0

  const refusal = ({ userId, teamId }: Caller) => {
    if ((users.get(userId) ?? 0) >= limits.perUser) return 'user'
    if ((teams.get(teamId) ?? 0) >= limits.perTeam) return 'team'
    return total >= limits.perProcess ? 'process' : undefined
  }
  const add = (caller: Caller, amount: 1 | -1) => {
    total += amount
    addTo(users, caller.userId, amount)
    addTo(teams, caller.teamId, amount)
  }

  return {
    enter: (caller: Caller): (() => void) => {
      const limit = refusal(caller)
      if (limit) {
        countRefusal(limit)
        throw toProblem(limit, limits)
      }
      add(caller, 1)
      return () => add(caller, -1)
    },
  }
}

function addTo(counts: Map<string, number>, key: string, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

function toProblem(limit: WatchLimit, { perUser, perTeam, perProcess }: WatchLimits): Problem {
  if (limit === 'process') {
    const detail = `All ${perProcess} event streams of this replica are in use. Try again shortly.`
    return new Problem('overloaded', { detail, ...RETRY })
  }
  const [owner, count] = limit === 'user' ? ['user', perUser] : ['team', perTeam]
  const detail = `This ${owner} already watches with ${count} event streams of this replica. Close one, then try again.`
  return new Problem('too_many_requests', { detail, ...RETRY })
}
