import { INTO_AUDIT } from '../platform/audit.ts'
import { BEHAVIOUR_COLUMNS, readList, SETTABLE_COLUMNS } from './columns.ts'

/** The one statement of an update: lock, compare, merge, number, and leave the revision and its event. It all
 * commits together or not at all, in one round trip.
 *
 * $1 team, $2 agent, $3 expected revisions or null, $4 now, $5 who, $6 action, $7 restored revision,
 * $8 which columns were supplied, then a parameter for each column, then four for each secret, then the ids of the
 * audit record and of the request. */

const FIRST_COLUMN = 9

const SECRETS = ['api_key', 'github_token'] as const

interface Part {
  /** The field of the agent it belongs to. */
  field: string
  /** True when the update changes it. */
  changes: string
  /** The value before, and the name it is kept under. */
  before: { key: string; value: string }
  sets: string
}

const columns: Part[] = SETTABLE_COLUMNS.map((column, index) => {
  const { name, type } = column
  const parameter = `$${index + FIRST_COLUMN}::${type}`
  const supplied = 'keepsOnNull' in column ? `${parameter} IS NOT NULL` : `$8::integer & ${1 << index} <> 0`
  const comparable = (value: string) => (type === 'json' ? `${value}::jsonb` : value)
  return {
    field: name,
    changes: `${supplied} AND ${comparable(parameter)} IS DISTINCT FROM ${comparable(name)}`,
    // A decimal is kept as text: as a JSON number it would pass through a double.
    before: { key: name, value: type === 'numeric' ? `${name}::text` : name },
    // Only with a revision that says so: `1.0` is no change of `1`, and must not slip in beside one.
    sets: `${name} = CASE WHEN '${name}' = ANY (c.fields) THEN ${parameter} ELSE a.${name} END`,
  }
})

const secrets = SECRETS.map((name, index) => {
  const parameter = (offset: number) => `$${FIRST_COLUMN + SETTABLE_COLUMNS.length + 4 * index + offset}`
  const [action, mask, sealed, fingerprints] = [0, 1, 2, 3].map(parameter)
  // The secret comes sealed, so what it is compared by is its fingerprint.
  const isNew = `${action}::text = 'set' AND (${name}_fingerprint = ANY (${fingerprints}::bytea[])) IS NOT TRUE`
  const replaced = (column: string, value: string) =>
    `${name}_${column} = CASE ${action}::text WHEN 'clear' THEN NULL ` +
    `WHEN 'set' THEN CASE WHEN c.${name}_is_new THEN ${value} ELSE a.${name}_${column} END ` +
    `ELSE a.${name}_${column} END`
  return {
    field: name === 'api_key' ? 'api_key' : 'white_box_config',
    isNew,
    matches: `${action}::text <> 'match' OR ${name}_mask IS NOT DISTINCT FROM ${mask}::text`,
    changes: `(${isNew}) OR (${action}::text = 'clear' AND ${name}_sealed IS NOT NULL)`,
    // A token's mask stands in the configuration it belongs to, which is kept whole.
    before:
      name === 'api_key'
        ? { key: 'api_key_mask', value: 'api_key_mask' }
        : { key: 'white_box_config', value: 'white_box_config' },
    sets: [
      replaced('mask', `${mask}::text`),
      replaced('sealed', `${sealed}::bytea`),
      replaced('fingerprint', `(${fingerprints}::bytea[])[1]`),
    ].join(',\n    '),
  }
})

/** A configuration and the token in it are one field: it has changed when either has. */
const parts: Part[] = [...columns, ...secrets].reduce<Part[]>((merged, part) => {
  const twin = merged.find(({ field }) => field === part.field)
  if (!twin) return [...merged, part]
  return merged.map((other) =>
    other === twin
      ? { ...twin, changes: `(${twin.changes}) OR ${part.changes}`, sets: `${twin.sets},\n    ${part.sets}` }
      : other,
  )
}, [])

const bearsOnBehaviour = `c.fields && ARRAY['${BEHAVIOUR_COLUMNS.join("', '")}']`
const [eventId, requestId] = [0, 1].map(
  (offset) => `$${FIRST_COLUMN + SETTABLE_COLUMNS.length + 4 * SECRETS.length + offset}`,
)

export const UPDATE = `
WITH locked AS MATERIALIZED (
  SELECT ${readList()},
    $3::bigint[] IS NULL OR revision = ANY ($3::bigint[]) AS revision_matches,
    ${secrets.map(({ matches }, i) => `${matches} AS ${SECRETS[i]}_matches`).join(',\n    ')},
    ${secrets.map(({ isNew }, i) => `${isNew} AS ${SECRETS[i]}_is_new`).join(',\n    ')},
    array_remove(ARRAY[
      ${parts.map(({ field, changes }) => `CASE WHEN ${changes} THEN '${field}' END`).join(',\n      ')}
    ], NULL) AS fields
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), change AS (
  SELECT * FROM locked
  WHERE revision_matches AND api_key_matches AND github_token_matches AND cardinality(fields) > 0
), updated AS (
  UPDATE agents a SET
    revision = a.revision + 1,
    updated_at = greatest(a.updated_at, $4),
    behaviour_revision = CASE WHEN ${bearsOnBehaviour} THEN a.revision + 1 ELSE a.behaviour_revision END,
    ${parts.map(({ sets }) => sets).join(',\n    ')}
  FROM change c
  WHERE a.team_id = $1 AND a.id = $2
  RETURNING ${readList('a.')}
), revised AS (
  INSERT INTO agent_revisions
    (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, restored_revision)
  SELECT $1, $2, c.revision + 1, greatest(c.updated_at, $4), $5, $6, c.fields, (
    SELECT json_object_agg(key, value)
    FROM (VALUES
      ${parts
        .map(({ field, before: { key, value } }) => {
          // Only then, so that a large value nobody touched is not even read.
          return `('${field}', '${key}', CASE WHEN '${field}' = ANY (c.fields) THEN to_json(c.${value}) END)`
        })
        .join(',\n      ')}
    ) AS was (field, key, value)
    WHERE field = ANY (c.fields)
  ), $7
  FROM change c
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, c.revision + 1, $2::text || ':' || (c.revision + 1), $6,
    json_build_object('fields', c.fields, 'changed_by', $5::uuid, 'changed_at', greatest(c.updated_at, $4))
  FROM change c
), traced AS (
  ${INTO_AUDIT}
  SELECT $1, ${eventId}::uuid, $4, $5, 'agent_' || $6, $2, ${requestId},
    json_strip_nulls(
      json_build_object('revision', c.revision + 1, 'fields', c.fields, 'restored_revision', $7::bigint))
  FROM change c
)
SELECT 'updated' AS outcome, true AS api_key_matches, true AS github_token_matches, ${readList()}
FROM updated
UNION ALL
SELECT
  CASE
    WHEN NOT revision_matches THEN 'stale'
    WHEN NOT (api_key_matches AND github_token_matches) THEN 'foreign_mask'
    ELSE 'unchanged'
  END,
  api_key_matches, github_token_matches, ${readList()}
FROM locked
WHERE NOT EXISTS (SELECT FROM change)`
