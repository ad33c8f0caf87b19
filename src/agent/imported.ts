import type { Caller } from '../api/caller.ts'
import { parseUuid } from '../api/uuid.ts'
import type { Core } from '../core.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { fragment, named, param } from '../platform/postgres/sql.ts'
import { type Claim, insertAgent } from './change-statement.ts'
import { prepareCreation } from './create.ts'
import type { AgentCreate } from './schema.ts'

/** The agent of an external key. */
export interface ImportedAgent {
  external_key: string
  id: string
  revision: number
  /** `deleted`: it can be recovered. `gone`: it is being erased, so that the key is free. */
  state: 'present' | 'deleted' | 'gone'
  /** The mask of its GitHub token, if it has one. */
  github_token_mask: string | null
  /** `import_metadata.imported_at`, Unix time in seconds. */
  imported_at: unknown
}

/** The agents of external keys. The id of an agent stands for that agent, unless it is the external key of another
 * one. */
export async function findByExternalKeys(
  sql: Statements,
  teamId: string,
  keys: readonly string[],
  /** Unix time in seconds. */
  now: number,
): Promise<ImportedAgent[]> {
  const ids = keys.map((key) => {
    const parsed = parseUuid(key)
    return parsed.ok ? parsed.uuid : null
  })
  const team = param(teamId)
  return sql.read(named('find-by-external-keys')`
SELECT wanted.external_key, found.*
FROM unnest(${keys}::text[], ${ids}::uuid[]) AS wanted (external_key, id)
LEFT JOIN imported_agents i ON i.team_id = ${team} AND i.external_key = wanted.external_key
CROSS JOIN LATERAL (
  SELECT a.id, a.revision, 'present' AS state, a.github_token_mask, a.import_metadata -> 'imported_at' AS imported_at
  FROM agents a
  WHERE a.team_id = ${team} AND a.id = coalesce(i.agent_id, wanted.id)
  UNION ALL
  SELECT d.id, d.revision, CASE WHEN d.is_erasing OR d.erase_at <= ${now} THEN 'gone' ELSE 'deleted' END, NULL, NULL
  FROM deleted_agents d
  WHERE d.team_id = ${team} AND d.id = coalesce(i.agent_id, wanted.id)
) found`)
}

/** Fails if the team has the key already, unless it is that of the agent `replaces`, which is being erased. */
const externalKeyClaim = (externalKey: string, replaces: string | null): Claim => ({
  name: 'imported',
  sql: ({ team, agent, changedAt }) => fragment`
  INSERT INTO imported_agents (team_id, external_key, agent_id, created_at)
  VALUES (${team}, ${externalKey}, ${agent}, ${changedAt})
  ON CONFLICT (team_id, external_key) DO UPDATE SET agent_id = excluded.agent_id, created_at = excluded.created_at
  WHERE imported_agents.agent_id = ${replaces}::uuid`,
})

/** What a row of an import creates, or would create. */
export interface ImportedCreation {
  /** Null in a dry run. */
  id: string | null
  /** 0 in a dry run. */
  revision: number
  fields: readonly string[]
  credentialWarnings: readonly string[]
  /** The named secrets that the agent refers to and does not have. */
  missingSecrets: readonly string[]
}

interface ImportConditions {
  externalKey: string
  /** The agent that has the key and is being erased. */
  replaces: string | null
  /** The import, if it has an idempotency key. */
  bulkId: string | undefined
  isDryRun: boolean
}

/** Creates the agent of an external key. Undefined if another import has created it since. */
export async function createImportedAgent(
  core: Core,
  caller: Caller,
  body: AgentCreate,
  { externalKey, replaces, bulkId, isDryRun }: ImportConditions,
): Promise<ImportedCreation | undefined> {
  const { record, columns, references } = prepareCreation(core, caller, body, 'any')
  const { id, revision, fields, credentialWarnings } = record
  const creation = { fields, credentialWarnings, missingSecrets: references }
  if (isDryRun) return { id: null, revision: 0, ...creation }
  const claim = externalKeyClaim(externalKey, replaces)
  const sql = core.database.of(caller.teamId)
  const created = await insertAgent(sql, { ...record, bulkId }, columns, claim)
  return created && { id, revision, ...creation }
}
