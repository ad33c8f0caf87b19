import { EARNED_COLUMNS, earnedBy } from './earned.ts'
import { createRandom, type Random } from './random.ts'

/** Generates realistic agents: one large team with a hundredth of all agents, many small teams, and common and rare
 * values of every field that can be filtered. */

export interface FleetOptions {
  agents: number
  seed: number
  /** The agents of the largest team. Default: a hundredth of all. */
  agentsOfLargest?: number | undefined
}

const STATUSES = [
  ['active', 70],
  ['draft', 10],
  ['under_review', 8],
  ['deprecated', 5],
  ['archived', 5],
  ['pending', 1.9],
  ['creating', 0.09],
  ['rejected', 0.01],
] as const
const STAGES = [
  ['registered', 50],
  ['tested', 25],
  ['hardened', 15],
  ['trusted', 9],
  ['optimized', 0.95],
  ['adapted', 0.05],
] as const
const PROTECTIONS = [
  ['unprotected', 60],
  ['configured', 39.9],
  ['guarded', 0.1],
] as const
const ROLES = [
  'Invoice',
  'Travel',
  'Claims',
  'Code',
  'Warehouse',
  'Contract',
  'Payroll',
  'Support',
  'Audit',
  'Pricing',
]
const KINDS = ['helper', 'planner', 'reviewer', 'dispatcher', 'analyst', 'negotiator', 'agent']
const MODELS = ['gpt-5.4', 'claude-sonnet-5', 'llama-4-70b', 'mistral-large-4', 'qwen-4']
const HUBS = [
  ['custom', 60],
  ['openai', 25],
  ['bedrock', 14],
  ['on-premises', 1],
] as const
const ACCESS_LEVELS = [
  ['black_box', 70],
  ['grey_box', 25],
  ['white_box', 5],
] as const
const PROTOCOLS = [
  ['chat_completions', 80],
  ['a2a', 20],
] as const
const TAGS = ['billing', 'eu', 'internal', 'pilot', 'support', 'night', 'legal', 'hr', 'sales', 'retail']
const PROMPT =
  'You answer questions about the work of your team. You are brief, you say what you do not know. '

const FIRST_CREATED_AT = 1_700_000_000

export const AGENT_COLUMNS =
  'team_id, id, revision, created_by, created_at, updated_at, agent_name, model_name, agent_url, hub, agent_system_prompt, ' +
  'rate_limit_requests_per_minute, status, access_level, protocol, protection_status, guard_manually_configured, ' +
  'behaviour_revision, trust_stage, agent_params, agent_metadata, delegated_agents, import_metadata, capabilities, skills, ' +
  `${EARNED_COLUMNS}, bytes`

export const REVISION_COLUMNS = 'team_id, agent_id, revision, changed_at, changed_by, action, fields, before'

const sizeOfLargest = ({ agents, agentsOfLargest }: FleetOptions) =>
  agentsOfLargest ?? Math.max(1, Math.floor(agents / 100))
const teamCount = (agents: number) => Math.max(1, Math.floor(agents / 100))

/** The id of a team by its number; 0 is the largest. */
export function teamId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** What a fleet of this size is made of. */
export function describeFleet(options: FleetOptions) {
  const { agents } = options
  const others = Math.max(1, teamCount(agents) - 1)
  const agentsOfLargest = sizeOfLargest(options)
  return { teams: agents > 1 ? 1 + Math.min(others, agents - 1) : 1, largestTeam: teamId(0), agentsOfLargest }
}

/** A UUID version 7 of a time; the number makes it unique. */
function agentId(atMs: number, number: number): string {
  const time = atMs.toString(16).padStart(12, '0')
  const low = number.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${low}`
}

/** The largest team has every hundredth agent: without the second part, all of its agents would be alike. */
const mix = (number: number) => number + Math.floor(number / 100)

/** A fifth of the agents has a second revision, which changed the model. Their evaluations are outdated. */
const revisionsOf = (number: number) => (mix(number) % 5 === 3 ? 2 : 1)

export function countRevisions({ agents }: FleetOptions): number {
  let revisions = 0
  for (let number = 0; number < agents; number++) revisions += revisionsOf(number)
  return revisions
}

/** None to four: frequent ones, which most teams have, and one of a hundred others. */
function tagsOf(number: number, random: Random): string[] {
  const frequent = Array.from({ length: mix(number) % 4 }, () => random.pick(TAGS))
  return [...new Set([...frequent, ...(number % 3 === 0 ? [`project-${number % 97}`] : [])])]
}

/** The values that both tables need. */
function* generateKeys(options: FleetOptions) {
  const { agents } = options
  const large = sizeOfLargest(options)
  // The agents of the largest team are spread over the whole period.
  const every = Math.floor(agents / large)
  const teams = teamCount(agents)
  for (let number = 0; number < agents; number++) {
    const isLarge = number % every === 0 && number / every < large
    const team = teamId(isLarge ? 0 : 1 + (number % Math.max(1, teams - 1)))
    const createdAt = FIRST_CREATED_AT + Math.floor(number / 8)
    const id = agentId(createdAt * 1_000 + (number % 8) * 100, number)
    const user = teamId(900_000_000 + (number % 1_000))
    yield { number, team, id, user, createdAt }
  }
}

/** A line of COPY for each agent, oldest first. */
export function* generateAgents(options: FleetOptions): Generator<string> {
  const random = createRandom(options.seed)
  for (const { number, team, id, user, createdAt } of generateKeys(options)) {
    const rare = random.next() < 0.0001 ? 'Zanzibar ' : ''
    const name = `${rare}${random.pick(ROLES)} ${random.pick(KINDS)} ${number % 1_000}`
    const stage = random.weighted(STAGES)
    const agent = [
      ...[team, id, revisionsOf(number), user, createdAt, createdAt, name, random.pick(MODELS)],
      ...[
        `https://agents.example/${number}`,
        random.weighted(HUBS),
        PROMPT.repeat(1 + (number % 3)),
        60 + (number % 10) * 60,
      ],
      ...[random.weighted(STATUSES), random.weighted(ACCESS_LEVELS), random.weighted(PROTOCOLS)],
      ...[random.weighted(PROTECTIONS), 'f', revisionsOf(number), stage],
      ...[
        `{"temperature":0.${number % 10},"max_tokens":1024}`,
        `{"role":"support","tags":${JSON.stringify(tagsOf(number, random))}}`,
      ],
      ...['[]', '{"source":"manual"}', '{"streaming":true}', '[]'],
      ...earnedBy(stage, { number, createdAt, random }),
    ]
    yield `${agent.join('\t')}\t${sizeOf(agent)}\n`
  }
}

/** How much an agent counts towards the size of a page, near enough: its fields without identifiers and times. */
function sizeOf(agent: (string | number)[]): number {
  return agent.slice(6).reduce<number>((sum, field) => sum + String(field).length, 0)
}

/** A line of COPY for each revision of each agent. */
export function* generateRevisions(options: FleetOptions): Generator<string> {
  for (const { number, team, id, user, createdAt } of generateKeys(options)) {
    if (revisionsOf(number) === 2) {
      yield `${[team, id, '2', createdAt, user, 'updated', '{model_name}', '{"model_name":"gpt-5"}'].join('\t')}\n`
    }
    yield `${[team, id, '1', createdAt, user, 'created', '{agent_name,model_name}', '{}'].join('\t')}\n`
  }
}
