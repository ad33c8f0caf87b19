// Every change of an agent writes four rows in one statement: the agent, its revision, an outbox event and an audit event. A
// change of its delegations or of its URL also writes the rows that follow from it.

import type { RevisionAction } from '../contract/history.ts'
import { INSERT_AUDIT_EVENT } from '../platform/database/audit-sql.ts'
import type { Statement } from '../platform/database/database.ts'
import type { Caller } from '../platform/identity/identity.ts'
import { currentTraceparent } from '../platform/tracing/spans.ts'
import { markSql } from './bulk-mark.ts'
import { AGENT_TEXT, agentSql } from './columns.ts'
import { changedRows, createdRows } from './delegation/derived-rows.ts'
import { driftSql, type SetKey } from './ownership.ts'
import { hasSnapshot, snapshotSql } from './snapshot.ts'

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

/** $1 team, $2 agent, $3 revision, $4 time of the change, $5 user, $6 action, $7 fields, $8 values before, $9 restored
 * revision, $10 reason, $11 id of the outbox event, $12 its payload, $13 id of the audit event, $14 id of the request,
 * $15 interface, $16 application, $17 detail of the audit event. A snapshot needs all columns of `written`. */
const recordSql = (snapshot = 'NULL') => `revised AS (
  INSERT INTO agent_revisions
    (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, restored_revision, reason, snapshot)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${snapshot} FROM written
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, $3, $11, $6, $12 FROM written
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $13, $4, $5, 'agent_' || $6::text, $2, $14, $15, $16, $17 FROM written
)`

const RECORD_PARAMETERS = 17
/** The parameter of the first column of a change: two are for the state that was read. */
const FIRST_COLUMN = RECORD_PARAMETERS + 3

function recordParameters(record: RevisionRecord): unknown[] {
  const { caller, id, revision, changedAt, action, fields, restoredRevision } = record
  const reason = record.reason ?? caller.reason
  return [
    caller.teamId,
    id,
    revision,
    changedAt,
    caller.userId,
    action,
    fields,
    JSON.stringify(record.before),
    restoredRevision ?? null,
    reason ?? null,
    `${id}:${revision}`,
    JSON.stringify({
      ...{ fields, changed_by: caller.userId, changed_at: changedAt, reason },
      traceparent: currentTraceparent(),
      ...(record.driftedSets?.length && { drifted_sets: record.driftedSets }),
    }),
    record.auditId,
    caller.requestId,
    caller.via,
    caller.clientId,
    JSON.stringify({
      revision,
      fields,
      restored_revision: restoredRevision,
      ...record.set,
      credential_warnings: record.credentialWarnings?.length ? record.credentialWarnings : undefined,
      client_name: caller.clientName,
    }),
  ]
}

/** What can change without a revision, as it was when the agent was read. */
export interface ReadState {
  bytes: number
  setVersion: number
}

/** Changes the columns of an agent. Returns no row if another writer changed the agent since the read. */
export function changeStatement(
  record: RevisionRecord,
  columns: Columns,
  read: ReadState,
  secret?: NamedSecretWrite,
): Statement {
  const names = Object.keys(columns)
  const next = FIRST_COLUMN + names.length
  const secretValues = secretParameters(secret)
  const derived = changedRows(columns, next + secretValues.length)
  const { bulkId, driftedSets = [] } = record
  const isDrift = driftedSets.length > 0
  const isNamed = !secret && !hasSnapshot(record.revision) && !isDrift
  const afterDerived = next + secretValues.length + derived.parameters.length
  const extra = [
    ...derived.ctes,
    ...(isDrift ? [driftSql(`$${afterDerived}`)] : []),
    ...(bulkId === undefined ? [] : [markSql(afterDerived + (isDrift ? 1 : 0))]),
  ]
  return {
    // Others are too rare to be worth a named statement.
    ...(isNamed
      ? changeText(names, extra, bulkId !== undefined)
      : { name: undefined, text: rareText(names, extra, record.revision, secret) }),
    values: [
      ...[...recordParameters(record), read.bytes, read.setVersion],
      ...[...toParameters(columns), ...secretValues, ...derived.parameters],
      ...(isDrift ? [driftedSets] : []),
      ...(bulkId === undefined ? [] : [bulkId]),
    ],
  }
}

/** Each named statement costs a connection about 100 KB until the connection closes. After this many different sets of
 * columns, statements are unnamed and planned each time. */
const MAX_NAMED = 48
const named = new Map<string, { name: string; text: string }>()

function changeText(
  names: string[],
  ctes: string[],
  isInBulk: boolean,
): { name: string | undefined; text: string } {
  const key = `${names.join()}${isInBulk ? ' in bulk' : ''}`
  const known = named.get(key)
  if (known) return known
  const text = textOfChange(names, 'revision', [recordSql(), ...ctes].join(', '))
  if (named.size === MAX_NAMED) return { name: undefined, text }
  const statement = { name: `change-agent-${named.size}`, text }
  named.set(key, statement)
  return statement
}

function rareText(
  names: string[],
  ctes: string[],
  revision: number,
  secret: NamedSecretWrite | undefined,
): string {
  const record = recordSql(hasSnapshot(revision) ? snapshotSql('written') : 'NULL')
  const write = secret ? [secretSql(secret, FIRST_COLUMN + names.length)] : []
  return textOfChange(names, '*', [record, ...write, ...ctes].join(', '))
}

/** `next` is the number of its first parameter. */
function secretSql({ sealed }: NamedSecretWrite, next: number): string {
  if (sealed === null) {
    return `removed AS (
  DELETE FROM agent_secrets USING written
  WHERE agent_secrets.team_id = $1 AND agent_secrets.agent_id = $2 AND name = $${next}
)`
  }
  return `stored AS (
  INSERT INTO agent_secrets (team_id, agent_id, name, sealed, fingerprint)
  SELECT $1, $2, $${next}, $${next + 1}, $${next + 2} FROM written
  ON CONFLICT (team_id, agent_id, name) DO UPDATE SET sealed = excluded.sealed, fingerprint = excluded.fingerprint
)`
}

function secretParameters(secret: NamedSecretWrite | undefined): unknown[] {
  if (!secret) return []
  return secret.sealed === null ? [secret.name] : [secret.name, secret.sealed, secret.fingerprint]
}

/** An evaluation changes the size without a revision, and a configuration set its fields, so both are part of the condition. */
function textOfChange(names: string[], returning: string, record: string): string {
  const sets = names.map((name, index) => `${name} = $${FIRST_COLUMN + index}`)
  return `
WITH written AS (
  UPDATE agents SET revision = $3, updated_at = $4, ${sets.join(', ')}
  WHERE team_id = $1 AND id = $2 AND revision = $3::bigint - 1 AND bytes = $${RECORD_PARAMETERS + 1}
    AND set_version = $${RECORD_PARAMETERS + 2}
  RETURNING ${returning}
), ${record}
SELECT revision FROM written`
}

/** A row that belongs to a new agent and must not exist before. Its statement may use $1 team, $2 agent and $4 time. */
export interface Claim {
  /** Tells statements with different claims apart. */
  name: string
  /** An INSERT that returns no row if the row exists. `next` is the number of its first parameter. */
  sql: (next: number) => string
  parameters: unknown[]
}

/** Creates an agent. If its claim fails, it creates none and returns no row. */
export function createStatement(
  record: RevisionRecord,
  columns: Columns,
  claim: Claim | undefined,
): Statement {
  const names = Object.keys(columns)
  const parameters = names.map((_, index) => `$${RECORD_PARAMETERS + 1 + index}`)
  const next = RECORD_PARAMETERS + 1 + names.length
  const claimed = claim?.parameters ?? []
  const derived = createdRows(columns, next + claimed.length)
  const { bulkId } = record
  const marks = bulkId === undefined ? [] : [bulkId]
  const markCtes = marks.map(() => markSql(next + claimed.length + derived.parameters.length))
  return {
    name:
      [
        'create-agent',
        ...(claim ? [claim.name] : []),
        ...('set_version' in columns ? ['in-set'] : []),
        ...(marks.length > 0 ? ['in-bulk'] : []),
      ].join('-') + derived.name,
    text: `
WITH ${claim ? `claimed AS (${claim.sql(next)} RETURNING agent_id), ` : ''}written AS (
  INSERT INTO agents (team_id, id, revision, created_at, updated_at, created_by, ${names.join(', ')})
  SELECT $1, $2, $3, $4, $4, $5, ${parameters.join(', ')} ${claim ? 'FROM claimed' : ''}
  RETURNING *
), ${[recordSql(), ...derived.ctes, ...markCtes].join(', ')}
SELECT written.revision, ${AGENT_TEXT} FROM written, ${agentSql('written')}`,
    values: [
      ...[...recordParameters(record), ...toParameters(columns)],
      ...[...claimed, ...derived.parameters, ...marks],
    ],
  }
}

function toParameters(columns: Columns): unknown[] {
  return Object.values(columns).map((value) =>
    typeof value === 'object' && value !== null && !Buffer.isBuffer(value) ? JSON.stringify(value) : value,
  )
}
