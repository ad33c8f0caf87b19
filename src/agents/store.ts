import type { Agent } from '../contract/agent.ts'
import type { AgentEvaluation } from '../contract/evaluation.ts'
import { type AuditTrace, INTO_AUDIT } from '../platform/audit.ts'
import type { Sql } from '../platform/database.ts'
import { AGENT_JSON, readList, SETTABLE_COLUMNS, type SettableColumn } from './columns.ts'
import type { Claim } from './idempotency.ts'
import type { SecretChange, SecretChanges } from './secret-change.ts'
import { UPDATE } from './update-statement.ts'

/** An agent as it is stored, without its sealed secrets. */
export type AgentRow = Omit<Agent, 'api_key' | 'latest_evaluation'> & {
  revision: number
  api_key_mask: string | null
  latest_evaluation: StoredEvaluation | null
  /** The last revision at which a behaviour-bearing field changed. */
  behaviour_revision: number
}

export type StoredEvaluation = AgentEvaluation & { completed_at: number }

/** Values for the columns a client sets. An absent one keeps what is there. */
export type ColumnValues = Partial<Record<SettableColumn, unknown>>

export interface NewAgent extends AuditTrace {
  teamId: string
  id: string
  createdBy: string
  now: number
  trustStage: string
  origin: { import_metadata: object; capabilities: object; skills: object[] }
  values: Record<SettableColumn, unknown>
  secrets: SecretChanges
  /** The fields that the creator supplied. */
  fields: string[]
  /** Where the creation may be sent again. */
  claim: Claim | undefined
}

export interface AgentChange extends AuditTrace {
  /** The revisions of which the agent must have one, or null for any. */
  expectedRevisions: number[] | null
  now: number
  changedBy: string
  action: 'updated' | 'restored'
  /** The revision whose values these are, where the action is to restore one. */
  restoredRevision: number | null
  values: ColumnValues
  secrets: SecretChanges
}

export type UpdateResult = AgentRow & {
  outcome: 'updated' | 'unchanged' | 'stale' | 'foreign_mask'
  api_key_matches: boolean
  github_token_matches: boolean
}

export async function findAgent(sql: Sql, teamId: string, id: string): Promise<AgentRow | undefined> {
  const [row] = await sql.read<AgentRow>({ name: 'find-agent', text: FIND, values: [teamId, id] })
  return row
}

const FIND = `SELECT ${readList()} FROM agents WHERE team_id = $1 AND id = $2`

/** An agent as the text of its answer. */
export interface AgentText {
  revision: number
  text: string
}

export async function findAgentText(sql: Sql, teamId: string, id: string): Promise<AgentText | undefined> {
  const [row] = await sql.read<AgentText>({ name: 'find-agent-text', text: FIND_TEXT, values: [teamId, id] })
  return row
}

const FIND_TEXT = `SELECT revision, ${AGENT_JSON} AS text FROM agents WHERE team_id = $1 AND id = $2`

/** The agent, its first revision and its first event. Undefined when its claim was taken before. */
export async function insertAgent(sql: Sql, agent: NewAgent): Promise<AgentRow | undefined> {
  const { teamId, id, createdBy, now, trustStage, origin, values, secrets, fields, claim } = agent
  const [row] = await sql.write<AgentRow>({
    name: claim ? 'insert-claimed-agent' : 'insert-agent',
    text: claim ? INSERT_CLAIMED : INSERT,
    values: [
      teamId,
      id,
      createdBy,
      now,
      trustStage,
      JSON.stringify(origin.import_metadata),
      JSON.stringify(origin.capabilities),
      JSON.stringify(origin.skills),
      fields,
      ...columnParameters(values),
      ...newSecretParameters(secrets.api_key),
      ...newSecretParameters(secrets.github_token),
      agent.eventId,
      agent.requestId,
      ...(claim ? [claim.key, claim.requestHashes[0]] : []),
    ],
  })
  return row
}

const INSERT = insertStatement()

/** A claim that another request is just taking is waited for, and then not ours. */
const INSERT_CLAIMED = insertStatement(
  (key, hash) => `claimed AS (
  INSERT INTO idempotency_keys (team_id, key, request_hash, agent_id, created_at)
  VALUES ($1, ${key}, ${hash}, $2, $4)
  ON CONFLICT DO NOTHING
  RETURNING agent_id
), `,
)

function insertStatement(claimed?: (key: string, hash: string) => string): string {
  const settable = SETTABLE_COLUMNS.map(({ name }) => name)
  const parameters = Array.from({ length: settable.length + 6 }, (_, i) => `$${i + 10}`)
  const [eventId, requestId] = [10, 11].map((n) => `$${n + parameters.length}`)
  const next = 12 + parameters.length
  return `
WITH ${claimed?.(`$${next}`, `$${next + 1}`) ?? ''}created AS (
  INSERT INTO agents (
    team_id, id, revision, created_by, created_at, updated_at, trust_stage,
    import_metadata, capabilities, skills, ${settable.join(', ')},
    api_key_mask, api_key_sealed, api_key_fingerprint,
    github_token_mask, github_token_sealed, github_token_fingerprint
  )
  SELECT $1, $2, 1, $3, $4, $4, $5, $6, $7, $8, ${parameters.join(', ')} ${claimed ? 'FROM claimed' : ''}
  RETURNING ${readList()}
), revised AS (
  INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
  SELECT $1, $2, 1, $4, $3, 'created', $9, '{}' FROM created
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, 1, $2::text || ':1', 'created',
    json_build_object('fields', $9::text[], 'changed_by', $3::uuid, 'changed_at', $4::bigint)
  FROM created
), traced AS (
  ${INTO_AUDIT}
  SELECT $1, ${eventId}, $4, $3, 'agent_created', $2, ${requestId},
    json_build_object('revision', 1, 'fields', $9::text[])
  FROM created
)
SELECT * FROM created`
}

/** Undefined when the team has no such agent. */
export async function updateAgent(
  sql: Sql,
  teamId: string,
  id: string,
  change: AgentChange,
): Promise<UpdateResult | undefined> {
  const [result] = await sql.write<UpdateResult>({
    name: 'update-agent',
    text: UPDATE,
    values: [
      teamId,
      id,
      change.expectedRevisions,
      change.now,
      change.changedBy,
      change.action,
      change.restoredRevision,
      suppliedMask(change.values),
      ...columnParameters(change.values),
      ...secretParameters(change.secrets.api_key),
      ...secretParameters(change.secrets.github_token),
      change.eventId,
      change.requestId,
    ],
  })
  return result
}

function columnParameters(values: ColumnValues): unknown[] {
  return SETTABLE_COLUMNS.map(({ name, type }) => {
    const value = values[name] ?? null
    return type === 'json' && value !== null ? JSON.stringify(value) : value
  })
}

function suppliedMask(values: ColumnValues): number {
  return SETTABLE_COLUMNS.reduce(
    (mask, { name }, index) => (values[name] === undefined ? mask : mask | (1 << index)),
    0,
  )
}

function secretParameters(change: SecretChange): [string, string | null, Buffer | null, Buffer[] | null] {
  const mask = 'mask' in change ? change.mask : null
  if (change.action !== 'set') return [change.action, mask, null, null]
  return [change.action, mask, change.sealed, change.fingerprints]
}

function newSecretParameters(change: SecretChange): [string | null, Buffer | null, Buffer | null] {
  const [, mask, sealed, fingerprints] = secretParameters(change)
  return [mask, sealed, fingerprints?.[0] ?? null]
}
