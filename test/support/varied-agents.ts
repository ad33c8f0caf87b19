import assert from 'node:assert/strict'
import { createRandom } from '../../scripts/seed/random.ts'
import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  type Agent,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../src/agent/schema.ts'
import type { AgentFiltersQuery, EVALUATION_STATES } from '../../src/features/list/schema.ts'
import { COLLECTION, createAgent, putAgent } from './agents.ts'
import type { Person, TestConsole } from './console.ts'

const MODELS = ['gpt-5.4', 'claude-sonnet-5', 'Modell Ä', "o'model", '']
const HUBS = ['custom', 'openai', 'gpt-5.4']
const TAGS = ['billing', 'eu', 'gpt-5.4', 'Ärger', '']
const NAMES = ['Agent', 'bot', 'ÄRGER', '50%_off']

/** Agents of all kinds, made through the API, as a list with `include_scores` returns them. */
export async function makeVariedAgents(
  running: TestConsole,
  person: Person,
  count: number,
): Promise<Agent[]> {
  const random = createRandom(count)
  for (let n = 0; n < count; n++) {
    const tags = TAGS.filter(() => random.next() < 0.3)
    const { id } = await createAgent(running, person, {
      agent_name: `${random.pick(NAMES)} ${n % 9}`,
      model_name: random.pick(MODELS),
      hub: random.pick(HUBS),
      status: random.pick(AGENT_STATUSES),
      protection_status: random.pick(PROTECTION_STATUSES),
      access_level: random.pick(ACCESS_LEVELS),
      protocol: random.pick(PROTOCOLS),
      agent_metadata: random.pick([
        null,
        {},
        { tags: null },
        { tags },
        { tags },
        { tags: [...tags, ...tags] },
      ]),
    })
    await change(running, person, id, random)
  }
  const { body } = await running.request(
    'GET',
    `${COLLECTION}?sort=created_at&limit=500&include_scores=true&${AGENT_STATUSES.map((s) => `statuses=${s}`).join('&')}`,
    { token: person.token },
  )
  assert.equal(body.results.length, count)
  return body.results as Agent[]
}

/** What an agent can become after its creation. */
async function change(
  running: TestConsole,
  person: Person,
  id: string,
  random: ReturnType<typeof createRandom>,
): Promise<void> {
  const { token } = person
  if (random.next() < 0.5) {
    const json = { trust_stage: random.pick(TRUST_STAGES) }
    await running.request('PUT', `${COLLECTION}/${id}/lifecycle`, { token, json })
  }
  if (random.next() < 0.6) {
    const overall_score = random.pick([undefined, null, -1, 0, 0.25, 0.5, 1e-7, 1e21, 0.5000000000000001])
    const json = { evaluation_id: id, revision: 1, overall_score }
    await running.request('PUT', `${COLLECTION}/${id}/latest-evaluation`, { token, json })
  }
  if (random.next() < 0.2) await putAgent(running, person, id, { agent_system_prompt: 'changed' })
  if (random.next() < 0.2) await putAgent(running, person, id, { purpose: 'changed' })
  if (random.next() < 0.2) {
    await putAgent(running, person, id, {
      agent_name: random.pick(NAMES),
      hub: random.pick(HUBS),
      model_name: random.pick(MODELS),
      agent_metadata: { tags: [random.pick(TAGS)] },
    })
  }
  if (random.next() < 0.1) {
    await running.request('DELETE', `${COLLECTION}/${id}`, { token })
    await running.request('POST', `${COLLECTION}/${id}/recover`, { token })
  }
}

/** Values for each filter: one of each kind, several, and one that no agent has. */
const CHOICES: { [Name in keyof AgentFiltersQuery]-?: NonNullable<AgentFiltersQuery[Name]>[] } = {
  statuses: [['archived'], ['active', 'draft'], ['rejected']],
  trust_stages: [['registered'], ['trusted', 'adapted']],
  protection_statuses: [['guarded'], ['unprotected', 'configured']],
  access_levels: [['white_box'], ['black_box', 'grey_box']],
  protocols: [['a2a'], ['chat_completions', 'a2a']],
  model_names: [['gpt-5.4'], ['Modell Ä', "o'model"], [''], ['nothing']],
  hubs: [['custom'], ['gpt-5.4', 'openai'], ['nothing']],
  tags: [['billing'], ['Ärger', 'eu'], [''], ['nothing', 'gpt-5.4']],
  evaluation: [['current'], ['outdated'], ['none'], ['current', 'none']],
  min_score: [0, 0.5, -5, 1e-7, 2],
  q: ['agent', 'ÄRG', '%_', 'nothing'],
}

const NAMES_OF_FILTERS = Object.keys(CHOICES) as (keyof AgentFiltersQuery)[]
const choicesOf = (name: keyof AgentFiltersQuery): AgentFiltersQuery[] =>
  CHOICES[name].map((value) => ({ [name]: value }))

/** Each filter by itself. */
export const SINGLES: AgentFiltersQuery[] = [{}, ...NAMES_OF_FILTERS.flatMap(choicesOf)]

/** Each two filters together. */
export const PAIRS: AgentFiltersQuery[] = NAMES_OF_FILTERS.flatMap((one, n) =>
  NAMES_OF_FILTERS.slice(n + 1).flatMap((other) =>
    choicesOf(one).flatMap((a) => choicesOf(other).map((b) => ({ ...a, ...b }))),
  ),
)

export function toQuery(filter: AgentFiltersQuery): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(filter)) {
    for (const value of [values].flat()) query.append(name, String(value))
  }
  return query.toString()
}

/** The filters as the contract describes them, without a database. */
export function matches(agent: Agent, filter: AgentFiltersQuery): boolean {
  const tags = agent.agent_metadata?.tags ?? []
  const score = agent.latest_evaluation?.overall_score ?? Number.NEGATIVE_INFINITY
  const isOneOf = (values: readonly string[] | undefined, value: string | undefined) =>
    values === undefined || values.includes(value ?? '')
  return (
    (filter.statuses ? isOneOf(filter.statuses, agent.status) : agent.status !== 'archived') &&
    isOneOf(filter.trust_stages, agent.trust_stage) &&
    isOneOf(filter.protection_statuses, agent.protection_status) &&
    isOneOf(filter.access_levels, agent.access_level) &&
    isOneOf(filter.protocols, agent.protocol) &&
    isOneOf(filter.model_names, agent.model_name) &&
    isOneOf(filter.hubs, agent.hub) &&
    (filter.tags === undefined || filter.tags.some((tag) => tags.includes(tag))) &&
    isOneOf(filter.evaluation, evaluationOf(agent)) &&
    (filter.min_score === undefined || score >= filter.min_score) &&
    (filter.q === undefined || agent.agent_name.toLowerCase().includes(filter.q.toLowerCase()))
  )
}

export function evaluationOf({ latest_evaluation: evaluation }: Agent): (typeof EVALUATION_STATES)[number] {
  if (!evaluation) return 'none'
  return evaluation.current ? 'current' : 'outdated'
}

/** In the order of the list. */
export function sorted(agents: readonly Agent[], sort: string): Agent[] {
  const scoreOf = ({ latest_evaluation: evaluation }: Agent) =>
    evaluation?.overall_score ?? Number.NEGATIVE_INFINITY
  const byScore = (a: Agent, b: Agent) => (scoreOf(a) === scoreOf(b) ? 0 : scoreOf(a) < scoreOf(b) ? -1 : 1)
  const byName = (a: Agent, b: Agent) => Buffer.compare(Buffer.from(a.agent_name), Buffer.from(b.agent_name))
  const byId = (a: Agent, b: Agent) => (a.id < b.id ? -1 : 1)
  const compare = sort.endsWith('score') ? byScore : sort.endsWith('agent_name') ? byName : () => 0
  const ascending = agents.toSorted((a, b) => compare(a, b) || byId(a, b))
  return sort.startsWith('-') ? ascending.toReversed() : ascending
}
