import { isDeepStrictEqual } from 'node:util'
import type { Statements } from '../../platform/database/database.ts'
import { type Address, cardAddress, type Delegation, readDelegations, urlAddress } from './targets.ts'

/** So few that the changes that wait for the locks of a step do not notice. */
const AGENTS_PER_STEP = 50

/** Between two passes. Replicas of the version before run until the upgrade is over. */
const PAUSE_SECONDS = 3_600

/** Reads some agents of earlier versions, and stores the delegations and addresses that they should have. It runs in a
 * transaction. Returns whether there is more to do now. */
export async function backfillStep(sql: Statements, nowSeconds: number): Promise<boolean> {
  const [state] = await sql.read<Position>({ name: undefined, text: FIND_STATE, values: [nowSeconds] })
  if (!state) return false
  const agents = await sql.read<StoredRow>({
    name: undefined,
    text: FIND_AGENTS,
    values: [state.team_id ?? FIRST_ID, state.agent_id ?? FIRST_ID],
  })
  const last = agents.at(-1)
  if (!last) {
    await sql.write({ name: undefined, text: END_PASS, values: [nowSeconds + PAUSE_SECONDS] })
    return false
  }
  const wrong = agents.filter((agent) => !isRight(agent))
  const locked = wrong.length === 0 ? [] : await lock(sql, wrong)
  const isLocked = new Set(locked.map(({ id }) => id))
  await repair(
    sql,
    wrong.filter(({ id }) => isLocked.has(id)),
  )
  // Agents that have changed since the read come again in the next step.
  const firstMissed = agents.findIndex((agent) => wrong.includes(agent) && !isLocked.has(agent.id))
  const reached = firstMissed === -1 ? last : agents[firstMissed - 1]
  if (reached) await sql.write({ name: undefined, text: ADVANCE, values: [reached.team_id, reached.id] })
  return true
}

/** Whether the agents of earlier versions are part of the graph. Asks until they are. */
export function createIsIndexed(sql: Statements): () => Promise<boolean> {
  let isDone = false
  return async () => {
    if (isDone) return true
    const rows = await sql.read({ name: 'is-indexed', text: IS_INDEXED, values: [] })
    isDone = rows.length > 0
    return isDone
  }
}

/** After the first of the two passes. */
const IS_INDEXED = 'SELECT FROM delegation_backfill WHERE passes_left < 2'

interface Position {
  team_id: string | null
  agent_id: string | null
}

interface StoredRow {
  team_id: string
  id: string
  revision: number
  is_live: boolean
  agent_url: string | null
  delegated_agents: unknown
  import_metadata: unknown
  created_at: number
  /** `agent_url` has not changed since this revision. */
  behaviour_revision: number
  behaviour_changed_at: number | null
  stored_delegations: (Delegation & { is_live: boolean })[]
  stored_addresses: (Address & { is_live: boolean })[]
}

const expectedAddresses = ({ agent_url, import_metadata }: StoredRow) => [
  ...urlAddress(agent_url),
  ...cardAddress(import_metadata),
]

function isRight(row: StoredRow): boolean {
  const live = { is_live: row.is_live }
  return (
    isDeepStrictEqual(
      row.stored_delegations,
      readDelegations(row.delegated_agents).map((delegation) => ({ ...delegation, ...live })),
    ) &&
    isDeepStrictEqual(
      row.stored_addresses,
      expectedAddresses(row).map((address) => ({ ...address, ...live })),
    )
  )
}

/** Locks the agents that are still at the revision that was read. */
async function lock(sql: Statements, rows: StoredRow[]): Promise<{ id: string }[]> {
  const values = [rows.map((row) => row.team_id), rows.map((row) => row.id), rows.map((row) => row.revision)]
  const locked: { id: string }[] = []
  for (const table of ['agents', 'deleted_agents']) {
    const text = `
SELECT a.id FROM ${table} a
JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS given (team_id, id, revision)
  ON a.team_id = given.team_id AND a.id = given.id AND a.revision = given.revision
FOR SHARE OF a`
    locked.push(...(await sql.read<{ id: string }>({ name: undefined, text, values })))
  }
  return locked
}

async function repair(sql: Statements, rows: StoredRow[]): Promise<void> {
  if (rows.length === 0) return
  const ids = [rows.map((row) => row.team_id), rows.map((row) => row.id)]
  await sql.write({ name: undefined, text: DELETE_DELEGATIONS, values: ids })
  await sql.write({ name: undefined, text: DELETE_ADDRESSES, values: ids })
  const delegations = rows.flatMap((row) =>
    readDelegations(row.delegated_agents).map((delegation) => ({ ...placeOf(row), ...delegation })),
  )
  const addresses = rows.flatMap((row) =>
    expectedAddresses(row).map((address) => ({
      ...{ ...placeOf(row), ...address },
      ...(address.is_card || row.behaviour_changed_at === null
        ? { revision: 1, since_at: row.created_at }
        : { revision: row.behaviour_revision, since_at: row.behaviour_changed_at }),
    })),
  )
  await sql.write({ name: undefined, text: INSERT_DELEGATIONS, values: [JSON.stringify(delegations)] })
  await sql.write({ name: undefined, text: INSERT_ADDRESSES, values: [JSON.stringify(addresses)] })
}

const placeOf = ({ team_id, id, is_live }: StoredRow) => ({ team_id, agent_id: id, is_live })

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const FIND_STATE =
  'SELECT team_id, agent_id FROM delegation_backfill WHERE passes_left > 0 AND not_before <= $1'
const ADVANCE = 'UPDATE delegation_backfill SET team_id = $1, agent_id = $2'
const END_PASS =
  'UPDATE delegation_backfill SET passes_left = passes_left - 1, not_before = $1, team_id = NULL, agent_id = NULL'

const part = (table: string, isLive: boolean) => `
  (SELECT team_id, id, revision, ${isLive} AS is_live, agent_url, delegated_agents, import_metadata, created_at, behaviour_revision
  FROM ${table} WHERE (team_id, id) > ($1, $2) ORDER BY team_id, id LIMIT ${AGENTS_PER_STEP})`

const FIND_AGENTS = `
SELECT a.*, r.changed_at AS behaviour_changed_at, (
  SELECT coalesce(json_agg(d ORDER BY d.position), '[]') FROM (
    SELECT position, label, target_id, card_key::text, url_key::text, is_live
    FROM delegations WHERE team_id = a.team_id AND agent_id = a.id
  ) d
) AS stored_delegations, (
  SELECT coalesce(json_agg(x ORDER BY x.is_card), '[]') FROM (
    SELECT is_card, key::text, is_live
    FROM agent_addresses WHERE team_id = a.team_id AND agent_id = a.id AND until_revision IS NULL
  ) x
) AS stored_addresses
FROM (${part('agents', true)} UNION ALL ${part('deleted_agents', false)}) a
LEFT JOIN agent_revisions r ON r.team_id = a.team_id AND r.agent_id = a.id AND r.revision = a.behaviour_revision
ORDER BY a.team_id, a.id
LIMIT ${AGENTS_PER_STEP}`

const DELETE_DELEGATIONS = `
DELETE FROM delegations d USING unnest($1::uuid[], $2::uuid[]) AS given (team_id, id)
WHERE d.team_id = given.team_id AND d.agent_id = given.id`

const DELETE_ADDRESSES = `
DELETE FROM agent_addresses x USING unnest($1::uuid[], $2::uuid[]) AS given (team_id, id)
WHERE x.team_id = given.team_id AND x.agent_id = given.id AND x.until_revision IS NULL`

const INSERT_DELEGATIONS = `
INSERT INTO delegations (team_id, agent_id, is_live, position, label, target_id, card_key, url_key)
SELECT * FROM json_to_recordset($1::json) AS d (team_id uuid, agent_id uuid, is_live boolean, position integer, label text,
  target_id uuid, card_key bytea, url_key bytea)`

/** A row of that revision that is no longer the current one was stored before a replica of the version before changed it. */
const INSERT_ADDRESSES = `
INSERT INTO agent_addresses (team_id, agent_id, is_live, is_card, key, revision, since_at)
SELECT * FROM json_to_recordset($1::json) AS x (team_id uuid, agent_id uuid, is_live boolean, is_card boolean, key bytea,
  revision bigint, since_at bigint)
ON CONFLICT (team_id, agent_id, is_card, revision) DO UPDATE SET is_live = excluded.is_live, key = excluded.key,
  since_at = excluded.since_at, until_revision = NULL, until_at = NULL`
