import { type BreakerState, Circuit } from './circuit.ts'
import { FailureRate, isFailing, isMajority } from './failure-rate.ts'
import { ProbeTurns } from './probe-turns.ts'

/** `failed`: a failure that a caller can provoke. `unreachable`: no connection, which no caller can provoke. `abandoned`: the
 * request ended for a reason that is not the upstream's. */
export type Verdict = 'succeeded' | 'failed' | 'unreachable' | 'abandoned'

/** Identifies the states in which a request was sent. */
export interface Permit {
  team: TeamCircuit
  teamEpoch: number
  epoch: number
}

export interface Breaker {
  /** The state for all teams. */
  state: () => BreakerState
  /** The teams for which alone it is open. */
  countOpenTeams: () => number
  /** Whether `permit` would give one now. */
  allows: (team: string) => boolean
  /** Undefined while no request may be sent. In the half-open state only one request, the probe, has a permit. */
  permit: (team: string) => Permit | undefined
  /** Reports how a request ended. Ignored when the state has changed since its permit was given. */
  report: (permit: Permit, verdict: Verdict) => void
}

interface TeamCircuit {
  circuit: Circuit
  rate: FailureRate
}

/** The teams that called last. A forgotten one starts again with a closed breaker. */
const MAX_TEAMS = 1_000

/** Opens for a team when more than half of its requests of the last second failed, and for all teams when that holds for
 * most of them and at least two, or when more than half of all connections failed. Then allows one probe per reset time.
 * Not opossum: it counts a client that disconnects as a success, so it stayed closed while the upstream was down. */
export function createBreaker(now: () => number, onChange: (state: BreakerState) => void): Breaker {
  const shared = new Circuit()
  const turns = new ProbeTurns()
  /** The least recently used first. */
  const teams = new Map<string, TeamCircuit>()
  let connections = new FailureRate()

  const enter = (state: BreakerState) => {
    shared.enter(state, now())
    // What teams did before does not count afterwards.
    teams.clear()
    connections = new FailureRate()
    if (state === 'closed') turns.clear()
    onChange(state)
  }
  const useTeam = (name: string) => {
    const team = teams.get(name) ?? { circuit: new Circuit(), rate: new FailureRate() }
    teams.delete(name)
    teams.set(name, team)
    const [oldest] = teams.keys()
    if (teams.size > MAX_TEAMS && oldest !== undefined) teams.delete(oldest)
    return team
  }
  const allows = (name: string) => {
    if (shared.state !== 'closed') return turns.allows(name, shared.openForMs(now()))
    return teams.get(name)?.circuit.allows(now()) ?? true
  }
  const failsForMostTeams = (at: number) => {
    const active = [...teams.values()]
      .map(({ rate }) => rate.recent(at))
      .filter(({ requests }) => requests > 0)
    const failing = active.filter(isMajority)
    const total = { requests: 0, failures: 0 }
    for (const { requests, failures } of active) {
      total.requests += requests
      total.failures += failures
    }
    return failing.length >= 2 && failing.length > active.length / 2 && isFailing(total)
  }
  return {
    state: () => shared.state,
    countOpenTeams: () => [...teams.values()].filter(({ circuit }) => circuit.state !== 'closed').length,
    allows,
    permit: (name) => {
      if (!allows(name)) return undefined
      if (shared.state === 'open') {
        turns.start(name)
        enter('half_open')
      }
      const team = useTeam(name)
      if (team.circuit.state === 'open') team.circuit.enter('half_open', now())
      return { team, teamEpoch: team.circuit.epoch, epoch: shared.epoch }
    },
    report: ({ team, teamEpoch, epoch }, verdict) => {
      if (epoch !== shared.epoch) return
      // An abandoned probe proves nothing: the next one is due after another reset time.
      if (shared.state === 'half_open') return enter(verdict === 'succeeded' ? 'closed' : 'open')
      if (teamEpoch !== team.circuit.epoch) return
      if (team.circuit.state === 'half_open') {
        team.rate = new FailureRate()
        return team.circuit.enter(verdict === 'succeeded' ? 'closed' : 'open', now())
      }
      if (verdict === 'abandoned') return
      connections.count(now(), verdict === 'unreachable')
      if (verdict === 'unreachable') {
        if (isFailing(connections.recent(now()))) enter('open')
        return
      }
      team.rate.count(now(), verdict === 'failed')
      if (verdict === 'succeeded') return
      if (isFailing(team.rate.recent(now()))) team.circuit.enter('open', now())
      if (failsForMostTeams(now())) enter('open')
    },
  }
}
