import type { Caller } from '../api/caller.ts'
import type { RevisionAction } from '../api/events.ts'
import { currentTraceparent } from '../platform/observe/tracing.ts'
import type { Statements } from '../platform/postgres/database.ts'
import {
  EMPTY,
  type Fragment,
  fragment,
  join,
  named,
  type Param,
  type Part,
  param,
  raw,
  type Statement,
} from '../platform/postgres/sql.ts'
import { auditEvent, auditOrigin } from './audit-event.ts'
import { AGENT_TEXT, agentSql, hasSnapshot, snapshotSql } from './columns.ts'

// Every change of an agent writes four rows in one statement: the agent, its revision, an outbox event and an audit
// event. Triggers of the database write what follows from the agent: its row for lists, and its delegations.

/** The content of the revision, the outbox event and the audit event. */
export interface RevisionRecord {
  caller: Caller
  id: string
  revision: number
  changedAt: number
  auditId: string
  action: Exclude<RevisionAction, 'deleted' | 'recovered'>
  /** The names of the fields that changed. */
  fields: string[]
  /** The values of those fields before the change; of a secret only its mask. */
  before: Record<string, unknown>
  /** The revision whose values were restored. */
  restoredRevision?: number
  /** Instead of that of the caller. */
  reason?: string | null
  /** Where a changed value looks like a credential; see `secrets/inspect.ts`. */
  credentialWarnings?: readonly string[]
  /** The bulk request or import that makes the change. */
  bulkId?: string | undefined
  /** The configuration set that makes the change. */
  set?: SetKey | undefined
  /** Other configuration sets, which own one of the fields. */
  driftedSets?: string[]
}

/** A row of `agent_secrets` that a change stores or, without sealed bytes, deletes. */
export type NamedSecretWrite =
  | { name: string; sealed: Buffer; fingerprint: Buffer }
  | { name: string; sealed: null }

/** Column names and values; the value of a json column is not yet serialised. */
export type Columns = Record<string, unknown>

/** The parameters that several parts of a statement use. */
interface SharedParams {
  team: Param
  agent: Param
  revision: Param
  changedAt: Param
  user: Param
  action: Param
  fields: Param
}

function sharedParams({ caller, id, revision, changedAt, action, fields }: RevisionRecord): SharedParams {
  return {
    team: param(caller.teamId),
    agent: param(id),
    revision: param(revision),
    changedAt: param(changedAt),
    user: param(caller.userId),
    action: param(action),
    fields: param(fields),
  }
}

const NO_SNAPSHOT = raw('NULL')

/** The CTEs of the revision, the outbox event and the audit event. A snapshot needs all columns of `written`. */
function recordSql(record: RevisionRecord, shared: SharedParams, snapshot = NO_SNAPSHOT): Fragment {
  const { team, agent, revision, changedAt, user, action, fields } = shared
  const { caller, id, restoredRevision } = record
  const reason = record.reason ?? caller.reason
  const payload = JSON.stringify({
    fields: record.fields,
    changed_by: caller.userId,
    changed_at: record.changedAt,
    reason,
    traceparent: currentTraceparent(),
    drifted_sets: record.driftedSets?.length ? record.driftedSets : undefined,
  })
  const detail = JSON.stringify({
    revision: record.revision,
    fields: record.fields,
    restored_revision: restoredRevision,
    ...record.set,
    credential_warnings: record.credentialWarnings?.length ? record.credentialWarnings : undefined,
    client_name: caller.clientName,
  })
  return fragment`revised AS (
  INSERT INTO agent_revisions
    (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, restored_revision, reason, snapshot)
  SELECT ${team}, ${agent}, ${revision}, ${changedAt}, ${user}, ${action}, ${fields}, ${JSON.stringify(record.before)},
    ${restoredRevision}, ${reason}, ${snapshot} FROM written
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT ${team}, ${agent}, ${revision}, ${`${id}:${record.revision}`}, ${action}, ${payload} FROM written
), audited AS (
  ${auditEvent(auditOrigin(caller, record.auditId), {
    team,
    agent,
    at: changedAt,
    user,
    action: `agent_${record.action}`,
    detail,
  })} FROM written
)`
}

/** What can change without a revision, as it was when the agent was read. */
export interface ReadState {
  bytes: number
  setVersion: number
}

const ALL = raw('*')
const REVISION = raw('revision')

/** Changes the columns of an agent. Returns no row if another writer changed the agent since the read. An evaluation
 * changes the size without a revision, and a configuration set its fields, so both are part of the condition. */
export function changeStatement(
  record: RevisionRecord,
  columns: Columns,
  read: ReadState,
  secret?: NamedSecretWrite,
): Statement {
  const { bulkId, driftedSets = [] } = record
  const shared = sharedParams(record)
  const { team, agent, revision, changedAt, fields } = shared
  const snapshot = hasSnapshot(record.revision) ? SNAPSHOT : undefined
  const isDrift = driftedSets.length > 0
  // Others are too rare to be worth a named statement.
  const isNamed = !secret && !snapshot && !isDrift
  const names = Object.keys(columns)
  const assignments = names.map((name) => fragment`${raw(name)} = ${toPart(columns[name])}`)
  return named(isNamed ? changeName(names, bulkId !== undefined) : undefined)`
WITH written AS (
  UPDATE agents SET revision = ${revision}, updated_at = ${changedAt}, ${join(assignments, ', ')}
  WHERE team_id = ${team} AND id = ${agent} AND revision = ${revision}::bigint - 1 AND bytes = ${read.bytes}
    AND set_version = ${read.setVersion}
  RETURNING ${isNamed ? REVISION : ALL}
), ${recordSql(record, shared, snapshot)}
${secret ? secretSql(secret, team, agent) : EMPTY}
${isDrift ? fragment`, ${driftSql(shared, driftedSets)}` : EMPTY}
${bulkId === undefined ? EMPTY : fragment`, ${markSql(team, agent, bulkId, fields)}`}
SELECT revision FROM written`
}

const SNAPSHOT = raw(snapshotSql('written'))

/** Each named statement costs a connection about 100 KB until the connection closes. After this many different sets of
 * columns, statements are unnamed and planned each time. */
const MAX_NAMED = 48
const changeNames = new Map<string, string>()

function changeName(columns: string[], isInBulk: boolean): string | undefined {
  const key = `${columns.join()}${isInBulk ? ' in bulk' : ''}`
  const known = changeNames.get(key)
  if (known !== undefined || changeNames.size === MAX_NAMED) return known
  const name = `change-agent-${changeNames.size}`
  changeNames.set(key, name)
  return name
}

function secretSql(secret: NamedSecretWrite, team: Param, agent: Param): Fragment {
  if (secret.sealed === null) {
    return fragment`, removed AS (
  DELETE FROM agent_secrets USING written
  WHERE agent_secrets.team_id = ${team} AND agent_secrets.agent_id = ${agent} AND name = ${secret.name}
)`
  }
  return fragment`, stored AS (
  INSERT INTO agent_secrets (team_id, agent_id, name, sealed, fingerprint)
  SELECT ${team}, ${agent}, ${secret.name}, ${secret.sealed}, ${secret.fingerprint} FROM written
  ON CONFLICT (team_id, agent_id, name) DO UPDATE SET sealed = excluded.sealed, fingerprint = excluded.fingerprint
)`
}

/** A row that belongs to a new agent and must not exist before. */
export interface Claim {
  /** Tells statements with different claims apart. */
  name: string
  /** An INSERT that returns no row if the row exists. */
  sql: (agent: { team: Param; agent: Param; changedAt: Param }) => Fragment
}

/** Creates an agent. If its claim fails, it creates none and returns undefined. */
export async function insertAgent(
  sql: Statements,
  record: RevisionRecord,
  columns: Columns,
  claim: Claim | undefined,
): Promise<{ revision: number; text: string } | undefined> {
  const { bulkId } = record
  const shared = sharedParams(record)
  const { team, agent, revision, changedAt, user, fields } = shared
  const name = ['create-agent']
  if (claim) name.push(claim.name)
  if ('set_version' in columns) name.push('in-set')
  if (bulkId !== undefined) name.push('in-bulk')
  const [row] = await sql.write<{ revision: number; text: string }>(named(name.join('-'))`
WITH ${claim ? fragment`claimed AS (${claim.sql(shared)} RETURNING agent_id), ` : EMPTY}written AS (
  INSERT INTO agents
    (team_id, id, revision, created_at, updated_at, created_by, ${raw(Object.keys(columns).join(', '))})
  SELECT ${team}, ${agent}, ${revision}, ${changedAt}, ${changedAt}, ${user},
    ${join(Object.values(columns).map(toPart), ', ')} ${claim ? FROM_CLAIMED : EMPTY}
  RETURNING *
), ${recordSql(record, shared)}
${bulkId === undefined ? EMPTY : fragment`, ${markSql(team, agent, bulkId, fields)}`}
SELECT written.revision, ${AGENT_TEXT} FROM written, ${WRITTEN_AGENT}`)
  return row
}

const FROM_CLAIMED = raw('FROM claimed')
const WRITTEN_AGENT = agentSql('written')

function toPart(value: unknown): Part {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value)
    ? JSON.stringify(value)
    : (value as Part)
}

// A change that a bulk request makes leaves a row in `bulk_changes`, written by the statement of the change.

/** The CTE that writes the row. `written` is the row of the agent after the change. */
export function markSql(team: Param, agent: Param, bulkId: string, fields: Part): Fragment {
  return fragment`marked AS (
  INSERT INTO bulk_changes (team_id, bulk_id, agent_id, revision, fields)
  SELECT ${team}, ${bulkId}, ${agent}, revision, ${fields} FROM written
)`
}

/** The condition that the bulk request has not changed the agent yet. A change always makes a new revision, so a
 * statement that also requires the revision that was read cannot miss a change of another process. */
export function isUnchangedBy(bulkId: string, team: Param, agent: Param): Fragment {
  return fragment`NOT EXISTS (
  SELECT FROM bulk_changes
  WHERE bulk_changes.team_id = ${team} AND bulk_id = ${bulkId} AND bulk_changes.agent_id = ${agent}
)`
}

// Which configuration sets own which fields of an agent. `features/sets` writes the table `managed_agents`; the
// statement that changes an agent notes there which owned fields another writer changed.

/** A configuration set and the fields of an agent that it owns. */
export interface Owner {
  set: string
  fields: string[]
}

/** The agent of a configuration set that a change is made for. */
export interface SetKey {
  set: string
  key: string
}

/** The owners of an agent. `set_version` of the agent grows when a set takes or releases fields of it; while it is 0,
 * no set has ever owned any, and there is no need to ask. */
export async function findOwners(sql: Statements, teamId: string, agentId: string): Promise<Owner[]> {
  return sql.read<Owner>(named('find-owners')`
SELECT set, fields FROM managed_agents WHERE team_id = ${teamId} AND agent_id = ${agentId} ORDER BY set`)
}

/** The sets that own a changed field and do not make the change. */
export function driftedSets(
  owners: readonly Owner[],
  changed: readonly string[],
  by: SetKey | undefined,
): string[] {
  return owners
    .filter(({ set, fields }) => set !== by?.set && fields.some((field) => changed.includes(field)))
    .map(({ set }) => set)
}

interface OwnedChange {
  team: Param
  agent: Param
  revision: Param
  fields: Param
}

/** The CTE that notes the revision of a drift for each owned field. */
function driftSql({ team, agent, revision, fields }: OwnedChange, sets: readonly string[]): Fragment {
  return fragment`drifted AS (
  UPDATE managed_agents m SET drift = m.drift || coalesce((
    SELECT jsonb_object_agg(field, ${revision}::bigint)
    FROM unnest(${fields}::text[]) AS field WHERE field = ANY (m.fields)
  ), '{}')
  FROM written
  WHERE m.team_id = ${team} AND m.agent_id = ${agent} AND m.set = ANY (${sets}::text[])
)`
}
