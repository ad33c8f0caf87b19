// Which configuration sets own which fields of an agent. `src/sets` writes the table `managed_agents`; the statement
// that changes an agent notes there which owned fields another writer changed.

import type { Statements } from '../platform/database/database.ts'
import { type Fragment, fragment, named, type Param } from '../platform/database/sql.ts'

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
export function driftSql({ team, agent, revision, fields }: OwnedChange, sets: readonly string[]): Fragment {
  return fragment`drifted AS (
  UPDATE managed_agents m SET drift = m.drift || coalesce((
    SELECT jsonb_object_agg(field, ${revision}::bigint)
    FROM unnest(${fields}::text[]) AS field WHERE field = ANY (m.fields)
  ), '{}')
  FROM written
  WHERE m.team_id = ${team} AND m.agent_id = ${agent} AND m.set = ANY (${sets}::text[])
)`
}
