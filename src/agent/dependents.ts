import { type Static, Type } from 'typebox'
import { described, integer, nullable, oneOf, ref, UnixSeconds, Uuid } from '../api/fields.ts'
import { Problem } from '../api/problem.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { type Fragment, fragment, named, type Param, param, raw } from '../platform/postgres/sql.ts'
import type { Columns } from './change-statement.ts'
import { Agent, TRUST_STAGES } from './schema.ts'

/** The agents that delegate to an agent directly and come after `after` in the order of their ids. */
export async function listDependents(
  sql: Statements,
  teamId: string,
  id: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<AgentDependent[]> {
  const team = param(teamId)
  const agent = param(id)
  const from = param(after ?? FIRST_ID)
  const max = param(limit)
  const page = fragment`AND d.agent_id > ${from} ORDER BY d.agent_id, d.position LIMIT ${max}`
  return sql.read(named('list-dependents')`
SELECT ${AGENT_STATE}, found.position, found.matched_by, found.ambiguous
FROM (
  SELECT DISTINCT ON (agent_id) * FROM (${delegatingTo(team, agent, page)}
  ) each_kind
  ORDER BY agent_id, ambiguous, position
) found
JOIN agent_filters a ON a.team_id = ${team} AND a.id = found.agent_id
ORDER BY id
LIMIT ${max}`)
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** What a change of these agents, at most 500, affects. An id that the team does not have has no dependents. */
export async function findImpact(
  sql: Statements,
  teamId: string,
  ids: readonly string[],
): Promise<DependentsImpact[]> {
  const team = param(teamId)
  const page = raw(`ORDER BY d.agent_id LIMIT ${COUNTED_DEPENDENTS + 1}`)
  const rows = await sql.read<{ agent_id: string; count: number; strongest: number | null }>(named(
    'find-impact',
  )`
SELECT given.id AS agent_id, found.count, found.strongest
FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS given (id, n)
CROSS JOIN LATERAL (
  SELECT count(*)::integer AS count, max(array_position(${TRUST_STAGES}::text[], trust_stage)) AS strongest FROM (
    SELECT a.trust_stage FROM (
      SELECT DISTINCT agent_id FROM (${delegatingTo(team, raw('given.id'), page)}
      ) each_kind
      ORDER BY agent_id
      LIMIT ${raw(COUNTED_DEPENDENTS + 1)}
    ) dependent
    JOIN agent_filters a ON a.team_id = ${team} AND a.id = dependent.agent_id
  ) stages
) found
ORDER BY given.n`)
  return rows.map(({ agent_id, count, strongest }) => ({
    agent_id,
    dependents: Math.min(count, COUNTED_DEPENDENTS),
    has_more: count > COUNTED_DEPENDENTS,
    strongest_trust_stage: TRUST_STAGES[(strongest ?? 0) - 1] ?? null,
  }))
}

/** SQL for the agents that delegate to the agent `id`: each once for each member that identifies it. A URL does not
 * identify it where the card of the same delegation is known. `page` continues the selection of each kind. */
function delegatingTo(team: Param, id: Param | Fragment, page: Fragment): Fragment {
  const first = (condition: Fragment) => fragment`
      SELECT DISTINCT ON (d.agent_id) d.agent_id, d.position FROM delegations d
      WHERE d.team_id = ${team} AND ${condition} AND d.agent_id <> ${id} ${page}`
  const address = (keyOf: (table: string) => string) => fragment`
    SELECT key, EXISTS (
      SELECT FROM agents x WHERE x.team_id = ${team} AND ${raw(keyOf('x'))} = key AND x.id <> ${id}
    ) AS is_shared FROM (
      SELECT ${raw(keyOf('a'))} AS key FROM agents a WHERE a.team_id = ${team} AND a.id = ${id}
    ) address`
  const hasKnownCard = fragment`EXISTS (
    SELECT FROM agents x WHERE x.team_id = ${team} AND ${raw(cardKey('x'))} = d.card_key
  )`
  return fragment`
    SELECT d.*, 'agent_id' AS matched_by, false AS ambiguous FROM (${first(fragment`d.target_id = ${id}`)}
    ) d
    UNION ALL
    SELECT d.*, 'agent_card_url', own.is_shared FROM (${address(cardKey)}) own CROSS JOIN LATERAL (
      ${first(fragment`d.card_key = own.key`)}
    ) d
    UNION ALL
    SELECT d.*, 'url', own.is_shared FROM (${address(urlKey)}) own CROSS JOIN LATERAL (
      ${first(fragment`d.url_key = own.key AND NOT (d.card_key IS NOT NULL AND ${hasKnownCard})`)}
    ) d`
}

type TrustStage = (typeof TRUST_STAGES)[number]

/** Whether the request asks to be refused, and agents at this trust stage or a later one delegate to the agent, or may
 * do so. An id that the team does not have has no dependents, even if a delegation names it. */
export async function mustRefuse(
  sql: Statements,
  teamId: string,
  id: string,
  stage: TrustStage | undefined,
): Promise<boolean> {
  if (stage === undefined) return false
  const team = param(teamId)
  const agent = param(id)
  const stages = TRUST_STAGES.slice(TRUST_STAGES.indexOf(stage))
  // The largest team has 100,000 agents.
  const rows = await sql.read(named('has-dependent')`
SELECT FROM (${delegatingTo(team, agent, raw('LIMIT 100000'))}
) found
JOIN agent_filters a ON a.team_id = ${team} AND a.id = found.agent_id
WHERE a.trust_stage = ANY (${stages}::text[]) AND EXISTS (SELECT FROM agents WHERE team_id = ${team} AND id = ${agent})
LIMIT 1`)
  return rows.length > 0
}

/** Throws if the change can break the agents that delegate to the agent. */
export function refuseBreakingChange(mustBeRefused: boolean, columns: Columns): void {
  if (!mustBeRefused) return
  const isBreaking = 'agent_url' in columns || 'model_name' in columns || columns['status'] === 'archived'
  if (isBreaking) throw new Problem('has_dependents')
}

export function isEarlierStage(stage: TrustStage, than: TrustStage | undefined): boolean {
  return than !== undefined && TRUST_STAGES.indexOf(stage) < TRUST_STAGES.indexOf(than)
}

/** SQL for an AgentState. */
export const AGENT_STATE = raw('id, name AS agent_name, status, trust_stage, protection_status, evaluation')

/** SQL for what delegations name an agent by. Indexes have exactly these expressions. */
export const urlKey = (table: string) => `url_key(${table}.agent_url)`

export const cardKey = (table: string) => `url_key(${table}.import_metadata ->> 'source_url')`

/** From the weakest to the strongest. */
export const EVALUATION_STATES = ['none', 'outdated', 'current'] as const

export const AGENT_SUMMARY = {
  id: described(Uuid, 'Id of the agent.'),
  agent_name: Agent.properties.agent_name,
  status: Agent.properties.status,
  trust_stage: Agent.properties.trust_stage,
  protection_status: Agent.properties.protection_status,
  evaluation: oneOf(EVALUATION_STATES, {
    description:
      'State of the latest evaluation. `none`: the agent was never evaluated. `outdated`: it has changed since. ' +
      '`current`: it has not.',
  }),
}

export const position = integer({
  format: 'int32',
  minimum: 0,
  description: 'Index of the delegation in `delegated_agents` of the agent that delegates, from 0.',
})

const MATCHES = ['agent_id', 'agent_card_url', 'url'] as const

export const matchedBy = (description: string) => oneOf(MATCHES, { description })

export const AgentDependent = Type.Object({
  ...AGENT_SUMMARY,
  position: described(
    position,
    'Index of the delegation in `delegated_agents` of this agent, from 0; the first one of several.',
  ),
  matched_by: matchedBy('The member of the delegation that identifies the agent of the request.'),
  ambiguous: Type.Boolean({
    description: 'true: other agents have the same address, so the delegation may mean one of them.',
  }),
})

export type AgentDependent = Static<typeof AgentDependent>

/** How many dependents of an agent an impact counts. */
const COUNTED_DEPENDENTS = 100

export const DependentsImpact = Type.Object(
  {
    agent_id: described(Uuid, 'Id of the agent that would change.'),
    dependents: integer({
      format: 'int32',
      description: `Number of agents that delegate to it directly, at most ${COUNTED_DEPENDENTS}.`,
    }),
    has_more: Type.Boolean({ description: `true: there are more than ${COUNTED_DEPENDENTS}.` }),
    strongest_trust_stage: nullable(
      oneOf(TRUST_STAGES, {
        description: 'The latest trust stage among the counted dependents. null: there are none.',
      }),
    ),
  },
  { $id: 'DependentsImpact', description: 'Which agents a change of an agent affects.' },
)

export type DependentsImpact = Static<typeof DependentsImpact>

export const AgentDeletePlan = Type.Object(
  {
    revision: integer({ minimum: 1, description: 'Revision of the agent. Send it in `If-Match`.' }),
    erase_at: described(
      UnixSeconds,
      'When the agent would be erased, Unix time in seconds. It could be recovered until then.',
    ),
    impact: ref(DependentsImpact, { description: 'The agents that delegate to the agent.' }),
  },
  { $id: 'AgentDeletePlan', description: 'What a deletion would do. Nothing was changed.' },
)

export type AgentDeletePlan = Static<typeof AgentDeletePlan>

/** A request header of the operations that can break agents which delegate to the agent. */
export const RefuseIfDependents = Type.Object({
  'console-refuse-if-dependents': Type.Optional(
    oneOf(TRUST_STAGES, {
      description:
        'Refuse the request with 409 if agents at this trust stage or a later one delegate to the agent directly, ' +
        'or may do so, and the request deletes or archives it, changes its `agent_url` or `model_name`, or moves ' +
        'it to an earlier trust stage. Default: never refuse.',
    }),
  ),
})
