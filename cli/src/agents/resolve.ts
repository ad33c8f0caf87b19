import type { Console, ManagedAgentPage } from '@agent-console/sdk'
import { Failure } from '../failure.ts'
import { STATUSES } from '../grammar/words.ts'
import { oneLine } from '../output/safe-text.ts'

/** Any spelling of a UUID that the console takes. */
const UUID = /^(?:urn:uuid:)?\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i
const MAX_SHOWN = 10
const MAX_SIMILAR = 3

const isId = (text: string): boolean => UUID.test(text)

/** A configuration set and a key of it. */
const SET_AND_KEY = /^([a-z0-9][a-z0-9._-]{0,62})\/([a-z0-9][a-z0-9._-]{0,62})$/

/** The id of an agent, given as an id, as `set/key`, or as a name that only one agent has. */
export async function resolveAgent(console: Console, text: string): Promise<string> {
  if (isId(text)) return text
  if (text === '') throw new Failure('The name of the agent is empty.')
  const [, set, key] = SET_AND_KEY.exec(text) ?? []
  const managed = set === undefined || key === undefined ? undefined : await findManaged(console, set, key)
  return managed ?? findByName(console, text)
}

/** Undefined if the set has no such agent: the text may be a name. */
async function findManaged({ request }: Console, set: string, key: string): Promise<string | undefined> {
  const path = '/v1/configuration-sets/{set}/agents'
  for (let next: string | null | undefined; next !== null; ) {
    const query: { limit: number; cursor?: string } = {
      limit: 500,
      ...(next !== undefined && { cursor: next }),
    }
    const { data }: { data: ManagedAgentPage } = await request('GET', path, { path: { set }, query })
    const found = data.results.find((each) => each.key === key)
    if (found) return found.agent_id
    next = data.next_cursor
  }
  return undefined
}

async function findByName({ agents }: Console, text: string): Promise<string> {
  const found: { id: string; status: string }[] = []
  const similar = new Set<string>()
  // All statuses: without them the list leaves out archived agents.
  const query = { q: text, statuses: [...STATUSES], fields: ['agent_name' as const, 'status' as const] }
  for await (const { agent } of agents.iterate({ ...query, limit: 500 })) {
    if (agent.agent_name === text) found.push(agent)
    else if (similar.size < MAX_SIMILAR) similar.add(agent.agent_name)
    if (found.length > MAX_SHOWN) break
  }
  const [only, second] = found
  if (!only) {
    const hint =
      similar.size === 0
        ? 'List all with: agent-console agents list'
        : `Similar names: ${[...similar].map(oneLine).join(', ')}.`
    throw new Failure(`No agent has the name ${text}. ${hint}`)
  }
  if (!second) return only.id
  const shown = found.slice(0, MAX_SHOWN).map(({ id, status }) => `  ${id}  ${status}`)
  const more = found.length > MAX_SHOWN ? ['  …'] : []
  throw new Failure([`Several agents have the name ${text}. Give an id:`, ...shown, ...more].join('\n'))
}

export async function resolveAgents(console: Console, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) ids.push(await resolveAgent(console, text))
  return ids
}
