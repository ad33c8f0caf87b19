import { isDeepStrictEqual } from 'node:util'
import type { Statements } from '../../platform/postgres/database.ts'
import { named, param, raw } from '../../platform/postgres/sql.ts'
import type { AgentText, NamedSecrets } from '../change.ts'
import { AGENT_TEXT, agentSql, snapshotAtOrAfter } from '../columns.ts'
import type { Agent } from '../schema.ts'
import { namedField } from '../secrets/schema.ts'
import { type AgentComparison, type AgentDiff, NOT_COMPARED } from './schema.ts'

/** An agent as it was at one of its revisions. */
export interface PastAgent extends AgentText {
  /** The revision that set each secret, at that time; null if the agent had no such secret. */
  api_key_revision: number | null
  github_token_revision: number | null
  /** The named secrets at the next snapshot, or now if there is none yet. */
  named_secrets: NamedSecrets | null
  /** Those that have changed since, as they were at that time; null if there was no such secret. */
  undone_secrets: Record<string, NamedSecrets[string] | null> | null
  /** The fields whose values at that revision were removed from history. */
  redacted: string[]
}

/** The agent at the next snapshot, or the current agent if there is no snapshot yet, with all later changes undone: at
 * most 99. Undefined if the team has no such agent, or the agent has no such revision. */
export async function findAgentAt(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
  includeScores: boolean,
): Promise<PastAgent | undefined> {
  const team = param(teamId)
  const agent = param(id)
  const at = param(revision)
  const next = param(snapshotAtOrAfter(revision))
  // The value of a field at a revision is the value before its first later change. Only the values that are put back
  // are read: a large one is not stored in the row itself. Revisions have no gap: if there is no next snapshot, there
  // is no later revision either.
  const [row] = await sql.read<PastAgent>(named(
    includeScores ? 'find-agent-at-with-scores' : 'find-agent-at',
  )`
WITH undone AS (
  SELECT DISTINCT ON (field) field, before, field = ANY (redacted) AS is_redacted
  FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
  WHERE team_id = ${team} AND agent_id = ${agent} AND revision > ${at} AND revision <= ${next}
  ORDER BY field, revision
)
SELECT r.revision, ${AGENT_TEXT}, past_agent.api_key_revision, past_agent.github_token_revision,
  past_agent.named_secrets, (
  SELECT json_object_agg(substr(field, ${raw(NAMED_PREFIX.length + 1)}), before -> field) FROM undone
  WHERE starts_with(field, '${raw(NAMED_PREFIX)}')
) AS undone_secrets, ARRAY(
  SELECT field FROM undone WHERE is_redacted
  UNION ALL
  SELECT field FROM json_array_elements_text(s.snapshot -> 'redacted') AS field
  WHERE field NOT IN (SELECT field FROM undone)
) AS redacted
FROM agents a
JOIN agent_revisions r ON r.team_id = ${team} AND r.agent_id = ${agent} AND r.revision = ${at}
LEFT JOIN agent_revisions s ON s.team_id = ${team} AND s.agent_id = ${agent} AND s.revision = ${next}
CROSS JOIN LATERAL json_populate_record(json_populate_record(a, s.snapshot), (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, before -> key AS value
    FROM undone CROSS JOIN LATERAL unnest(CASE field
      WHEN 'api_key' THEN ARRAY['api_key_mask', 'api_key_revision']
      WHEN 'white_box_config' THEN ARRAY[field, 'github_token_revision']
      ELSE ARRAY[field]
    END) AS key
    UNION ALL
    SELECT 'updated_at', to_json(r.changed_at)
  ) old_values
)) AS past_agent, ${includeScores ? AGENT_WITH_SCORES : AGENT}
WHERE a.team_id = ${team} AND a.id = ${agent}`)
  return row
}

const NAMED_PREFIX = namedField('')
const AGENT = agentSql('past_agent')
const AGENT_WITH_SCORES = agentSql('past_agent', { includeScores: true })

/** An agent at one of its revisions, with masked secrets. */
export interface AgentState extends Omit<PastAgent, 'text' | 'named_secrets' | 'undone_secrets'> {
  agent: Agent
  /** The named secrets; null for one that the agent did not have. */
  secrets: Map<string, NamedSecrets[string] | null>
}

export function stateOf({
  text,
  named_secrets: next,
  undone_secrets: undone,
  ...rest
}: PastAgent): AgentState {
  return {
    ...rest,
    agent: JSON.parse(text) as Agent,
    secrets: new Map(Object.entries({ ...next, ...undone })),
  }
}

/** What tells whether a field differs. */
export type ComparedState = Pick<
  AgentState,
  'agent' | 'api_key_revision' | 'github_token_revision' | 'redacted'
>

type Field = keyof Agent

/** The differences between two revisions of one agent. */
export function changesBetween(before: AgentState, after: AgentState): AgentDiff['changes'] {
  const fields = (Object.keys(after.agent) as Field[])
    .filter((field) => hasChanged(field, before, after))
    .map((field) => ({ field: field as string, old: before.agent[field], new: after.agent[field] }))
  // The revision tells whether a secret has changed: two can have the same mask.
  const secrets = namesOf(before, after)
    .filter((name) => before.secrets.get(name)?.revision !== after.secrets.get(name)?.revision)
    .map((name) => ({ field: namedField(name), old: maskOf(before, name), new: maskOf(after, name) }))
  return [...fields, ...secrets]
}

/** The differences between two agents. Fingerprints of secrets are bound to their agent, so that only masks can be
 * compared. */
export function differencesBetween(one: AgentState, other: AgentState): AgentComparison['differences'] {
  const fields = (Object.keys(one.agent) as Field[])
    .filter((field) => !NOT_COMPARED.includes(field) && differs(field, one, other))
    .map((field) => ({ field: field as string, value: one.agent[field], with_value: other.agent[field] }))
  const secrets = namesOf(one, other)
    .map((name) => ({ field: namedField(name), value: maskOf(one, name), with_value: maskOf(other, name) }))
    .filter(({ value, with_value: withValue }) => value !== withValue)
  return [...fields, ...secrets]
}

/** A secret may have changed and still have the same mask. */
export function hasChanged(field: Field, a: ComparedState, b: ComparedState): boolean {
  if (field === 'updated_at') return false
  if (field === 'api_key' && a.api_key_revision !== b.api_key_revision) return true
  if (field === 'white_box_config' && a.github_token_revision !== b.github_token_revision) return true
  return differs(field, a, b)
}

/** Of a value that was removed from history only this is known. */
function differs(field: Field, a: ComparedState, b: ComparedState): boolean {
  return (
    a.redacted.includes(field) !== b.redacted.includes(field) ||
    !isDeepStrictEqual(a.agent[field], b.agent[field])
  )
}

const namesOf = (a: AgentState, b: AgentState) =>
  [...new Set([...a.secrets.keys(), ...b.secrets.keys()])].toSorted()

const maskOf = ({ secrets }: AgentState, name: string) => secrets.get(name)?.mask ?? null

/** Undefined when the team has no such agent. */
export async function findCurrentRevision(
  sql: Statements,
  teamId: string,
  id: string,
): Promise<number | undefined> {
  const [row] = await sql.read<{ revision: number }>(named('find-current-revision')`
SELECT revision FROM agents WHERE team_id = ${teamId} AND id = ${id}`)
  return row?.revision
}
