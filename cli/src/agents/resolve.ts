import type { Agents } from '@agent-console/sdk'
import { Failure } from '../failure.ts'
import { STATUSES } from '../grammar/words.ts'
import { oneLine } from '../output/safe-text.ts'

/** Any spelling of a UUID that the console takes. */
const UUID = /^(?:urn:uuid:)?\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i
const MAX_SHOWN = 10
const MAX_SIMILAR = 3

const isId = (text: string): boolean => UUID.test(text)

/** The id of an agent, given as an id or as a name that only one agent has. */
export async function resolveAgent(agents: Agents, text: string): Promise<string> {
  if (isId(text)) return text
  if (text === '') throw new Failure('The name of the agent is empty.')
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
    const names = similar.size === 0 ? '' : ` Similar names: ${[...similar].map(oneLine).join(', ')}.`
    throw new Failure(`No agent has the name ${text}.${names}`)
  }
  if (!second) return only.id
  const shown = found.slice(0, MAX_SHOWN).map(({ id, status }) => `  ${id}  ${status}`)
  const more = found.length > MAX_SHOWN ? ['  …'] : []
  throw new Failure([`Several agents have the name ${text}. Give an id:`, ...shown, ...more].join('\n'))
}

export async function resolveAgents(agents: Agents, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) ids.push(await resolveAgent(agents, text))
  return ids
}
