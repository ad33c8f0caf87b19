import type { Agent } from '../contract/agent.ts'
import type { Sql } from '../platform/database.ts'
import { READ_COLUMNS, SETTABLE_COLUMNS, type SettableColumn } from './columns.ts'
import type { SecretChange, SecretChanges } from './secret-change.ts'

/** An agent as it is stored, without its sealed secrets. */
export type AgentRow = Omit<Agent, 'api_key' | 'latest_evaluation'> & {
  revision: number
  api_key_mask: string | null
}

/** Values for the columns a client sets. An absent one keeps what is there. */
export type ColumnValues = Partial<Record<SettableColumn, unknown>>

export interface NewAgent {
  teamId: string
  id: string
  createdBy: string
  now: number
  trustStage: string
  origin: { import_metadata: object; capabilities: object; skills: object[] }
  values: Record<SettableColumn, unknown>
  secrets: SecretChanges
}

export interface AgentChange {
  /** The revisions of which the agent must have one, or null for any. */
  expectedRevisions: number[] | null
  now: number
  values: ColumnValues
  secrets: SecretChanges
}

export type UpdateResult = AgentRow & {
  outcome: 'updated' | 'unchanged' | 'stale' | 'foreign_mask'
  api_key_matches: boolean
  github_token_matches: boolean
}

const READ_LIST = READ_COLUMNS.join(', ')

export async function findAgent(sql: Sql, teamId: string, id: string): Promise<AgentRow | undefined> {
  const [row] = await sql.read<AgentRow>({ name: 'find-agent', text: FIND, values: [teamId, id] })
  return row
}

const FIND = `SELECT ${READ_LIST} FROM agents WHERE team_id = $1 AND id = $2`

export async function insertAgent(sql: Sql, agent: NewAgent): Promise<AgentRow> {
  const { teamId, id, createdBy, now, trustStage, origin, values, secrets } = agent
  const [row] = await sql.write<AgentRow>({
    name: 'insert-agent',
    text: INSERT,
    values: [
      teamId,
      id,
      createdBy,
      now,
      trustStage,
      JSON.stringify(origin.import_metadata),
      JSON.stringify(origin.capabilities),
      JSON.stringify(origin.skills),
      ...columnParameters(values),
      ...secretParameters(secrets.api_key).slice(1, 3),
      secretFingerprint(secrets.api_key),
      ...secretParameters(secrets.github_token).slice(1, 3),
      secretFingerprint(secrets.github_token),
    ],
  })
  return row as AgentRow
}

const INSERT = (() => {
  const settable = SETTABLE_COLUMNS.map(({ name }) => name)
  const parameters = Array.from({ length: settable.length + 6 }, (_, i) => `$${i + 9}`)
  return `
INSERT INTO agents (
  team_id, id, revision, created_by, created_at, updated_at, trust_stage,
  import_metadata, capabilities, skills, ${settable.join(', ')},
  api_key_mask, api_key_sealed, api_key_fingerprint,
  github_token_mask, github_token_sealed, github_token_fingerprint
) VALUES ($1, $2, 1, $3, $4, $4, $5, $6, $7, $8, ${parameters.join(', ')})
RETURNING ${READ_LIST}`
})()

/** Locks, compares, merges and numbers in one statement, hence one round trip. Null when the team has no
 * such agent. */
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
      suppliedMask(change.values),
      ...columnParameters(change.values),
      ...secretParameters(change.secrets.api_key),
      ...secretParameters(change.secrets.github_token),
    ],
  })
  return result
}

const SECRETS = ['api_key', 'github_token'] as const

/** $1 team, $2 agent, $3 expected revisions, $4 now, $5 which columns were supplied, then a parameter for
 * each column, then four for each secret. */
const UPDATE = (() => {
  const columns = SETTABLE_COLUMNS.map((column, index) => {
    const parameter = `$${index + 6}::${column.type}`
    const comparable = (value: string) => (column.type === 'json' ? `${value}::jsonb` : value)
    const supplied = 'keepsOnNull' in column ? `${parameter} IS NOT NULL` : `$5::integer & ${1 << index} <> 0`
    return {
      changes: `${supplied} AND ${comparable(parameter)} IS DISTINCT FROM ${comparable(column.name)}`,
      sets: `${column.name} = CASE WHEN ${supplied} THEN ${parameter} ELSE a.${column.name} END`,
    }
  })
  const secrets = SECRETS.map((name, index) => {
    const [action, mask, sealed, fingerprints] = [0, 1, 2, 3].map(
      (offset) => `$${6 + SETTABLE_COLUMNS.length + 4 * index + offset}`,
    )
    const replaced = (column: string, type: string, value: string) =>
      `${name}_${column} = CASE ${action}::text WHEN 'clear' THEN NULL ` +
      `WHEN 'set' THEN CASE WHEN c.${name}_is_new THEN ${value}::${type} ELSE a.${name}_${column} END ` +
      `ELSE a.${name}_${column} END`
    return {
      // The secret comes sealed, so what it is compared by is its fingerprint.
      isNew: `${action}::text = 'set' AND (${name}_fingerprint = ANY (${fingerprints}::bytea[])) IS NOT TRUE`,
      isCleared: `${action}::text = 'clear' AND ${name}_sealed IS NOT NULL`,
      matches: `${action}::text <> 'match' OR coalesce(${name}_mask = ${mask}::text, false)`,
      sets: [
        replaced('mask', 'text', `${mask}`),
        replaced('sealed', 'bytea', `${sealed}`),
        replaced('fingerprint', 'bytea', `(${fingerprints}::bytea[])[1]`),
      ].join(', '),
    }
  })
  return `
WITH locked AS MATERIALIZED (
  SELECT ${READ_LIST},
    $3::bigint[] IS NULL OR revision = ANY ($3::bigint[]) AS revision_matches,
    ${secrets.map((secret, i) => `${secret.matches} AS ${SECRETS[i]}_matches`).join(',\n    ')},
    ${secrets.map((secret, i) => `${secret.isNew} AS ${SECRETS[i]}_is_new`).join(',\n    ')},
    ${[
      ...columns.map(({ changes }) => `(${changes})`),
      ...secrets.map(({ isNew, isCleared }) => `(${isNew}) OR (${isCleared})`),
    ].join('\n      OR ')} AS changes
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), updated AS (
  UPDATE agents a SET
    revision = a.revision + 1,
    updated_at = greatest(a.updated_at, $4),
    ${[...columns, ...secrets].map(({ sets }) => sets).join(',\n    ')}
  FROM locked c
  WHERE a.team_id = $1 AND a.id = $2
    AND c.revision_matches AND c.api_key_matches AND c.github_token_matches AND c.changes
  RETURNING ${READ_COLUMNS.map((column) => `a.${column}`).join(', ')}
)
SELECT 'updated' AS outcome, true AS api_key_matches, true AS github_token_matches, ${READ_LIST}
FROM updated
UNION ALL
SELECT
  CASE
    WHEN NOT revision_matches THEN 'stale'
    WHEN NOT (api_key_matches AND github_token_matches) THEN 'foreign_mask'
    ELSE 'unchanged'
  END,
  api_key_matches, github_token_matches, ${READ_LIST}
FROM locked
WHERE NOT EXISTS (SELECT FROM updated)`
})()

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
  const [sealed, fingerprints] = change.action === 'set' ? [change.sealed, change.fingerprints] : [null, null]
  return [change.action, mask, sealed, fingerprints]
}

function secretFingerprint(change: SecretChange): Buffer | null {
  return change.action === 'set' ? (change.fingerprints[0] ?? null) : null
}
