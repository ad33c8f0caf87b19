import type {
  Agent,
  AgentDrift,
  AgentSpec,
  Console,
  ManagedAgent,
  ManagedAgentResult,
} from '@agent-console/sdk'
import { MAX_PAGE } from '../agents/collect.ts'
import { STATUSES } from '../grammar/words.ts'
import type { Spec } from './desired.ts'

const AGENTS = '/v1/configuration-sets/{set}/agents'
const AGENT = '/v1/configuration-sets/{set}/agents/{key}'
const DRIFT = '/v1/configuration-sets/{set}/drift'
const MAX_DRIFT_PAGE = 50

export interface SpecWrite {
  key: string
  spec: Spec
  force: readonly string[]
  adopt?: string | undefined
}

/** What must hold for a write. */
export type Condition = { ifRevision: number } | { ifNew: true } | undefined

export type LiveAgent = Pick<Agent, 'id'> & Partial<Agent>

/** A configuration set of a console. */
export type SetClient = ReturnType<typeof createSetClient>

/** Requests are repeated by the pool, which also slows down: the client itself does not repeat them. */
const ONCE = { maxRetries: 0, idempotent: true } as const

export function createSetClient(console: Console, set: string) {
  const send = async (
    { key, spec, force, adopt }: SpecWrite,
    isDryRun: boolean,
    condition: Condition,
    reason: string | undefined,
  ) => {
    const headers = {
      ...(condition && 'ifRevision' in condition && { 'if-match': `"${condition.ifRevision}"` }),
      ...(condition && 'ifNew' in condition && { 'if-none-match': '*' }),
      ...(reason !== undefined && { 'console-change-reason': encodeURIComponent(reason) }),
    }
    // The console checks it: it knows more than this version of the program.
    const body = {
      spec: spec as AgentSpec,
      ...(force.length > 0 && { force: [...force] as (keyof AgentSpec)[] }),
      ...(adopt !== undefined && { adopt }),
    }
    const query = isDryRun ? { dry_run: true } : {}
    return console.request('PUT', AGENT, { ...ONCE, path: { set, key }, query, headers, body })
  }

  return {
    set,
    agents: console.agents,

    /** The agents of the set, by key. */
    members: async (): Promise<Map<string, ManagedAgent>> => {
      const members = await readAll<ManagedAgent>(async (cursor) => {
        const query = { limit: MAX_PAGE, ...cursor }
        return (await console.request('GET', AGENTS, { path: { set }, query })).data
      })
      return new Map(members.map((member) => [member.key, member]))
    },

    /** What others have changed, by key. */
    drift: async (): Promise<Map<string, AgentDrift>> => {
      const drift = await readAll<AgentDrift>(async (cursor) => {
        const query = { limit: MAX_DRIFT_PAGE, ...cursor }
        return (await console.request('GET', DRIFT, { path: { set }, query })).data
      })
      return new Map(drift.map((each) => [each.key, each]))
    },

    /** The agents with these ids, as far as they are among the `most` newest of the team: a team may have far more agents than
     * a set, and the list cannot be narrowed to a set. */
    findAgents: async (ids: ReadonlySet<string>, fields: readonly string[], most: number) => {
      const found = new Map<string, LiveAgent>()
      let read = 0
      // All statuses: without them the list leaves out archived agents.
      const query = { statuses: [...STATUSES], fields: [...fields] as (keyof Agent)[], limit: MAX_PAGE }
      for await (const { agent } of console.agents.iterate(query)) {
        if (ids.has(agent.id)) found.set(agent.id, agent)
        if (found.size === ids.size || ++read >= most) break
      }
      return found
    },

    /** What a write would do. */
    plan: async (write: SpecWrite, condition?: Condition): Promise<ManagedAgentResult> =>
      (await send(write, true, condition, undefined)).data,

    apply: async (write: SpecWrite, condition: Condition, reason?: string) => {
      const { data, headers } = await send(write, false, condition, reason)
      return { ...data, credentialWarnings: headers.get('console-credential-warnings') }
    },

    /** Lets go of an agent, which stays as it is. */
    release: async (key: string, reason?: string): Promise<void> => {
      const headers = reason === undefined ? {} : { 'console-change-reason': encodeURIComponent(reason) }
      await console.request('DELETE', AGENT, { ...ONCE, path: { set, key }, headers })
    },
  }
}

interface Page<T> {
  results: T[]
  next_cursor: string | null
}

async function readAll<T>(load: (cursor: { cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const page = await load(next === undefined ? {} : { cursor: next })
    all.push(...page.results)
    next = page.next_cursor
  }
  return all
}
