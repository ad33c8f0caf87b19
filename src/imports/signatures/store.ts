import {
  type CardKey,
  type CardKeyContent,
  type CardPolicy,
  type CardPolicyName,
  DEFAULT_CARD_POLICY,
  MAX_CARD_KEYS,
} from '../../contract/card-signature.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/database/audit-sql.ts'
import type { Statements } from '../../platform/database/database.ts'

interface TrustChange {
  nowSeconds: number
  origin: AuditOrigin
  /** What the audit event says. */
  auditDetail: object
}

const KEY_COLUMNS = 'kid, algorithm, public_key, origins, updated_at, updated_by'

export async function listCardKeys(sql: Statements, teamId: string): Promise<CardKey[]> {
  return sql.read({
    name: 'list-card-keys',
    text: `SELECT ${KEY_COLUMNS} FROM card_keys WHERE team_id = $1 ORDER BY kid`,
    values: [teamId],
  })
}

/** Undefined if the team has no such key. */
export async function findCardKey(
  sql: Statements,
  teamId: string,
  kid: string,
): Promise<CardKey | undefined> {
  const [row] = await sql.read<CardKey>({
    name: 'find-card-key',
    text: `SELECT ${KEY_COLUMNS} FROM card_keys WHERE team_id = $1 AND kid = $2`,
    values: [teamId, kid],
  })
  return row
}

/** Undefined if the team has too many keys. Requests at the same time may exceed the limit by their number. */
export async function saveCardKey(
  sql: Statements,
  teamId: string,
  kid: string,
  { algorithm, public_key: jwk, origins }: CardKeyContent,
  change: TrustChange,
): Promise<CardKey | undefined> {
  const [row] = await sql.write<CardKey>({
    name: 'save-card-key',
    text: `
WITH stored AS MATERIALIZED (
  SELECT kid FROM card_keys WHERE team_id = $1
), saved AS (
  INSERT INTO card_keys (team_id, kid, algorithm, public_key, origins, updated_at, updated_by)
  SELECT $1::uuid, $9::text, $10::text, $11::json, $12::text[], $3::bigint, $4::uuid
  WHERE EXISTS (SELECT FROM stored WHERE kid = $9) OR (SELECT count(*) FROM stored) < ${MAX_CARD_KEYS}
  ON CONFLICT (team_id, kid) DO UPDATE SET algorithm = excluded.algorithm, public_key = excluded.public_key,
    origins = excluded.origins, updated_at = excluded.updated_at, updated_by = excluded.updated_by
  RETURNING *
), audited AS (
  ${auditSql('card_key_saved', 'saved')}
)
SELECT ${KEY_COLUMNS} FROM saved`,
    values: [...changeParameters(teamId, change), kid, algorithm, JSON.stringify(jwk), origins],
  })
  return row
}

/** Returns whether there was such a key. */
export async function deleteCardKey(
  sql: Statements,
  teamId: string,
  kid: string,
  change: TrustChange,
): Promise<boolean> {
  const rows = await sql.write({
    name: 'delete-card-key',
    text: `
WITH deleted AS (
  DELETE FROM card_keys WHERE team_id = $1 AND kid = $9 RETURNING 1
), audited AS (
  ${auditSql('card_key_deleted', 'deleted')}
)
SELECT FROM deleted`,
    values: [...changeParameters(teamId, change), kid],
  })
  return rows.length > 0
}

const POLICY_COLUMNS = 'signatures, updated_at, updated_by'

export async function findCardPolicy(sql: Statements, teamId: string): Promise<CardPolicy> {
  const [row] = await sql.read<CardPolicy>({
    name: 'find-card-policy',
    text: `SELECT ${POLICY_COLUMNS} FROM card_policies WHERE team_id = $1`,
    values: [teamId],
  })
  return row ?? { signatures: DEFAULT_CARD_POLICY, updated_at: null, updated_by: null }
}

export async function saveCardPolicy(
  sql: Statements,
  teamId: string,
  signatures: CardPolicyName,
  change: TrustChange,
): Promise<CardPolicy> {
  const [row] = await sql.write<CardPolicy>({
    name: 'save-card-policy',
    text: `
WITH saved AS (
  INSERT INTO card_policies (team_id, signatures, updated_at, updated_by) VALUES ($1, $9, $3, $4)
  ON CONFLICT (team_id) DO UPDATE SET signatures = excluded.signatures, updated_at = excluded.updated_at,
    updated_by = excluded.updated_by
  RETURNING *
), audited AS (
  ${auditSql('card_policy_changed', 'saved')}
)
SELECT ${POLICY_COLUMNS} FROM saved`,
    values: [...changeParameters(teamId, change), signatures],
  })
  return row as CardPolicy
}

/** $1 team, $2 detail of the audit event, $3 time, $4 user, $5 id of the audit event, $6 id of the request, $7 interface, $8
 * application. */
function changeParameters(teamId: string, { nowSeconds, origin, auditDetail }: TrustChange): unknown[] {
  return [teamId, JSON.stringify(auditDetail), nowSeconds, ...originParameters(origin)]
}

const auditSql = (action: string, changed: string) => `
  ${INSERT_AUDIT_EVENT}
  SELECT $1::uuid, $5::uuid, $3::bigint, $4::uuid, '${action}', NULL, $6::text, $7::text, $8::text, $2::json FROM ${changed}`
