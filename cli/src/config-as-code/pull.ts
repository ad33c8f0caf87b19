import type { Console, ManagedAgent } from '@agent-console/sdk'
import { MAX_PAGE } from '../agents/collect.ts'
import { STATUSES } from '../grammar/words.ts'
import type { Io } from '../io.ts'
import type { Spec } from './desired.ts'
import type { ConnectedSet } from './open-set.ts'
import { readSpec } from './read-spec.ts'
import { Secrets, type SecretUse } from './secrets.ts'
import { createSetClient, type LiveAgent, type SetClient } from './set-client.ts'

/** An agent to write to a file. */
export interface Pulled {
  agent: LiveAgent
  revision: number
  /** Undefined: the set does not have it yet. */
  member: ManagedAgent | undefined
}

/** All agents of a set. */
export async function membersToPull({ client, pool }: ConnectedSet, signal: AbortSignal): Promise<Pulled[]> {
  const members = [...(await client.members()).values()]
  const pulled: Pulled[] = []
  await pool.each(
    members,
    async (member) => {
      const { agent, revision } = await client.agents.get(member.agent_id)
      pulled.push({ agent, revision, member })
    },
    () => signal.aborted,
  )
  signal.throwIfAborted()
  return pulled.toSorted((a, b) => ((a.member?.key ?? '') < (b.member?.key ?? '') ? -1 : 1))
}

/** The agents with these ids, and those whose name contains the text. */
export async function agentsToPull(
  { console, client }: ConnectedSet,
  ids: readonly string[],
  query: string | undefined,
): Promise<Pulled[]> {
  const members = new Map([...(await client.members()).values()].map((member) => [member.agent_id, member]))
  const pulled = new Map<string, Pulled>()
  const add = ({ agent, revision }: { agent: LiveAgent; revision: number }) =>
    pulled.set(agent.id, { agent, revision, member: members.get(agent.id) })
  for (const id of ids) add(await client.agents.get(id))
  if (query !== undefined) {
    const filter = { q: query, statuses: [...STATUSES], limit: MAX_PAGE }
    for await (const found of console.agents.iterate(filter)) add(found)
  }
  return [...pulled.values()]
}

/** The fields that other sets own, of every agent. */
export async function ownedByOthers(console: Console, set: string): Promise<Map<string, Set<string>>> {
  const owned = new Map<string, Set<string>>()
  const { data } = await console.request('GET', '/v1/configuration-sets')
  for (const { name } of data.results.filter((each) => each.name !== set)) {
    for (const { agent_id: id, fields } of (await createSetClient(console, name).members()).values()) {
      owned.set(id, new Set([...(owned.get(id) ?? []), ...fields]))
    }
  }
  return owned
}

/** Lets the set take an agent with the values that it has. It may be repeated. */
export async function takeAgent(
  client: SetClient,
  { agent, revision }: Pulled,
  key: string,
  spec: Spec,
  io: Pick<Io, 'env' | 'readOutput' | 'signal'>,
  reason: string | undefined,
): Promise<void> {
  const write = { key, spec: await specToTake(client, agent.id, key, spec, io), force: [], adopt: agent.id }
  await client.apply(write, { ifRevision: revision }, reason)
}

/** With a secret only if the environment has exactly the one of the agent: a pull changes no agent. */
async function specToTake(
  client: SetClient,
  adopt: string,
  key: string,
  spec: Spec,
  io: Pick<Io, 'env' | 'readOutput' | 'signal'>,
): Promise<Spec> {
  const { secrets: found } = await readSpec(spec, { folder: '', project: '' })
  if (found.length === 0) return spec
  const uses: SecretUse[] = found.map((use) => ({ ...use, folder: '', file: '', line: 0 }))
  const secrets = new Secrets()
  if ((await secrets.resolve(uses, io)).length === 0) {
    const filled = secrets.reveal(spec, uses)
    const { changes } = await client.plan({ key, spec: filled, force: [], adopt })
    if (changes.length === 0) return filled
  }
  const hidden = new Set(uses.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !hidden.has(field)))
}
