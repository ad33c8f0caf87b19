import { PROTECTION_STATUSES, TRUST_STAGES } from '../../src/agent/schema.ts'

/** The graph of delegations, computed the simplest way from the fields of all agents of two teams. */

export interface Entry {
  agent_id?: string
  agent_card_url?: string
  url?: string
  name?: string
}

export interface ModelAgent {
  id: string
  team: string
  agent_url: string | null
  card: string | null
  trust_stage: string
  protection_status: string
  entries: Entry[]
}

interface Resolved {
  kind: 'agent' | 'external' | 'ambiguous'
  to: string | null
}

/** The same rules as the console, applied to the spellings of these tests only. */
function plain(url: string): string {
  return url
    .replace(/#.*$/, '')
    .replace(/^HTTPS:\/\/([A-Z.]+)/, (all) => all.toLowerCase())
    .replace(':443', '')
    .replace(/\/$/, '')
}

/** The ids of the agents that an entry may mean. */
function candidates(agents: ModelAgent[], team: string, entry: Entry): string[] {
  const own = agents.filter((agent) => agent.team === team)
  if (entry.agent_id !== undefined) return own.flatMap(({ id }) => (id === entry.agent_id ? [id] : []))
  const having = (field: 'agent_url' | 'card', url: string | undefined) =>
    own.flatMap((agent) => (url && agent[field] && plain(agent[field]) === plain(url) ? [agent.id] : []))
  const byCard = having('card', entry.agent_card_url)
  return byCard.length > 0 ? byCard : having('agent_url', entry.url)
}

function resolve(agents: ModelAgent[], team: string, entry: Entry): Resolved {
  const [first = null, ...others] = candidates(agents, team, entry)
  if (others.length > 0) return { kind: 'ambiguous', to: null }
  return { kind: first === null ? 'external' : 'agent', to: first }
}

interface ExpectedGraph {
  /** Id to distance. */
  distances: Map<string, number>
  /** As `from position kind to`. */
  edges: string[]
  /** Each sorted and joined. */
  cycles: string[]
  isComplete: boolean
  weakest: Record<'trust_stage' | 'protection_status', { value: string | null; distance: number }>
}

export function expectedGraph(agents: ModelAgent[], id: string, depth: number): ExpectedGraph {
  const { team } = agents.find((agent) => agent.id === id) as ModelAgent
  const all = new Map(
    agents
      .filter((agent) => agent.team === team)
      .map((agent) => [agent.id, agent.entries.map((entry) => resolve(agents, team, entry))]),
  )
  const targets = (from: string) => (all.get(from) ?? []).flatMap(({ to }) => to ?? [])
  const distances = new Map([[id, 0]])
  for (let distance = 1; distance <= depth; distance++) {
    for (const [from, at] of [...distances]) {
      if (at !== distance - 1) continue
      for (const to of targets(from)) if (!distances.has(to)) distances.set(to, distance)
    }
  }
  const followed = [...distances].filter(([, at]) => at < depth).map(([from]) => from)
  const edges = followed.flatMap((from) =>
    (all.get(from) ?? []).map(({ kind, to }, position) => `${from} ${position} ${kind} ${to}`),
  )
  const unresolved = followed
    .filter((from) => (all.get(from) ?? []).some(({ to }) => to === null))
    .map((from) => (distances.get(from) as number) + 1)
  const weakestOf = (field: 'trust_stage' | 'protection_status', values: readonly string[]) => {
    if (unresolved.length > 0) return { value: null, distance: Math.min(...unresolved) }
    const reached = agents.filter((agent) => distances.has(agent.id))
    const rank = Math.min(...reached.map((agent) => values.indexOf(agent[field])))
    const weak = reached.filter((agent) => values.indexOf(agent[field]) === rank)
    return {
      value: values[rank] as string,
      distance: Math.min(...weak.map((agent) => distances.get(agent.id) as number)),
    }
  }
  return {
    distances,
    edges,
    cycles: cyclesAmong(followed, targets),
    isComplete: ![...distances].some(([from, at]) => at === depth && (all.get(from) ?? []).length > 0),
    weakest: {
      trust_stage: weakestOf('trust_stage', TRUST_STAGES),
      protection_status: weakestOf('protection_status', PROTECTION_STATUSES),
    },
  }
}

/** Two agents are in a cycle if each reaches the other. */
function cyclesAmong(ids: string[], targets: (id: string) => string[]): string[] {
  const reachable = (start: string) => {
    const seen = new Set<string>()
    const open = [start]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const to of targets(id).filter((target) => ids.includes(target) && !seen.has(target))) {
        seen.add(to)
        open.push(to)
      }
    }
    return seen
  }
  const reach = new Map(ids.map((id) => [id, reachable(id)]))
  const groups = ids
    .filter((id) => reach.get(id)?.has(id))
    .map((id) => ids.filter((other) => reach.get(id)?.has(other) && reach.get(other)?.has(id)))
  return [...new Set(groups.map((group) => group.toSorted().join()))].toSorted()
}

/** The ids of the agents that delegate to an agent, or may do so. */
export function expectedDependents(agents: ModelAgent[], id: string): string[] {
  const { team } = agents.find((agent) => agent.id === id) as ModelAgent
  return agents
    .filter((agent) => agent.team === team && agent.id !== id)
    .filter(({ entries }) => entries.some((entry) => candidates(agents, team, entry).includes(id)))
    .map((agent) => agent.id)
    .toSorted()
}
