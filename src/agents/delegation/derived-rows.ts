// The rows of `delegations` and `agent_addresses` that follow from the fields of an agent, as parts of the statements that
// write the agent. $1 team, $2 agent, $3 revision, $4 time; `written` is the row of the agent.

import { cardAddress, readDelegations, urlAddress } from './targets.ts'

/** A part of a statement: its CTEs, which need parameters from a given number on, and the parameters. */
export interface DerivedRows {
  ctes: string[]
  parameters: unknown[]
  /** Tells statements with different CTEs apart. */
  name: string
}

/** For a change of the given columns. Other columns cost nothing. The CTEs depend only on which columns there are. */
export function changedRows(columns: Record<string, unknown>, next: number): DerivedRows {
  const rows: DerivedRows = { ctes: [], parameters: [], name: '' }
  const add = (cte: (parameter: string) => string, value: unknown) => {
    rows.parameters.push(value)
    rows.ctes.push(cte(`$${next + rows.parameters.length - 1}`))
  }
  if ('delegated_agents' in columns) {
    const delegations = readDelegations(columns['delegated_agents'])
    add(storeDelegations, JSON.stringify(delegations))
    add(dropDelegations, delegations.length)
  }
  const hasUrl = 'agent_url' in columns
  const hasCard = 'import_metadata' in columns
  if (hasUrl || hasCard) {
    const addresses = [
      ...(hasUrl ? urlAddress(columns['agent_url']) : []),
      ...(hasCard ? cardAddress(columns['import_metadata']) : []),
    ]
    rows.ctes.push(closeAddresses(hasUrl, hasCard))
    add(storeAddresses, JSON.stringify(addresses))
  }
  return rows
}

/** For a new agent. Most have no delegations, and then the statement has no part for them. */
export function createdRows(columns: Record<string, unknown>, next: number): DerivedRows {
  const rows: DerivedRows = { ctes: [], parameters: [], name: '' }
  const add = (name: string, cte: (parameter: string) => string, values: unknown[]) => {
    if (values.length === 0) return
    rows.name += `-${name}`
    rows.parameters.push(JSON.stringify(values))
    rows.ctes.push(cte(`$${next + rows.parameters.length - 1}`))
  }
  add('delegating', storeDelegations, readDelegations(columns['delegated_agents']))
  add('addressed', storeAddresses, [
    ...urlAddress(columns['agent_url']),
    ...cardAddress(columns['import_metadata']),
  ])
  return rows
}

/** Positions that stay are updated, because a statement cannot delete a row and insert one with the same key. */
const storeDelegations = (rows: string) => `delegated AS (
  INSERT INTO delegations (team_id, agent_id, position, label, target_id, card_key, url_key)
  SELECT $1, $2, d.* FROM written, json_to_recordset(${rows}::json)
    AS d (position integer, label text, target_id uuid, card_key bytea, url_key bytea)
  ON CONFLICT (team_id, agent_id, position) DO UPDATE SET label = excluded.label, target_id = excluded.target_id,
    card_key = excluded.card_key, url_key = excluded.url_key
  WHERE (delegations.label, delegations.target_id, delegations.card_key, delegations.url_key)
    IS DISTINCT FROM (excluded.label, excluded.target_id, excluded.card_key, excluded.url_key)
)`

const dropDelegations = (count: string) => `undelegated AS (
  DELETE FROM delegations d USING written
  WHERE d.team_id = $1 AND d.agent_id = $2 AND d.position >= ${count}::integer
)`

const closeAddresses = (hasUrl: boolean, hasCard: boolean) => `unaddressed AS (
  UPDATE agent_addresses x SET until_revision = $3, until_at = $4 FROM written
  WHERE x.team_id = $1 AND x.agent_id = $2 AND x.is_card IN (${hasUrl ? 'false' : 'true'}, ${hasCard ? 'true' : 'false'})
    AND x.until_revision IS NULL
)`

const storeAddresses = (rows: string) => `addressed AS (
  INSERT INTO agent_addresses (team_id, agent_id, revision, since_at, is_card, key)
  SELECT $1, $2, $3, $4, x.* FROM written, json_to_recordset(${rows}::json) AS x (is_card boolean, key bytea)
)`

/** For an agent that is deleted or recovered: $1 team, $2 agent. */
export const movedRows = (isLive: boolean) => `moved_delegations AS (
  UPDATE delegations d SET is_live = ${isLive} FROM written WHERE d.team_id = $1 AND d.agent_id = $2
), moved_addresses AS (
  UPDATE agent_addresses x SET is_live = ${isLive} FROM written
  WHERE x.team_id = $1 AND x.agent_id = $2 AND x.until_revision IS NULL
)`
